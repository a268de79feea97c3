import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { keep, kept } from '../lib/tab-storage';
import { canceled, change, queries } from './api';
import { useAsk } from './ask';
import { labelOf, many, SkippedList } from './bulk';
import type { Job } from './types';
import { counted } from './words';

/** Why a job has stopped. */
const STOPS: Record<Job['reason'], string> = {
  '': 'Stopped',
  account: 'Stopped, because the account that began it is closed',
  role: 'Stopped, because whoever began it is no longer an administrator',
  changed: 'Stopped, because the sign-in of whoever began it has changed',
  key: 'Stopped, because the key that began it has ended',
  stopped: 'Stopped by an administrator or a key',
  file: 'Stopped, because its lines can no longer be read',
  restored: 'Stopped, because the database was restored from a copy',
};

const runs = (jobs?: Job[]) => Boolean(jobs?.some(({ state }) => state === 'running'));

const over = ({ state }: Job) => state === 'done' || state === 'failed';

const nameOf = ({ action, role }: Job) => (action === 'import' ? 'Import people' : labelOf(action, role));

const stateOf = ({ state, reason }: Job) =>
  state === 'failed' ? STOPS[reason] : state === 'done' ? 'Done' : 'Running';

/** The jobs that run or have just ended. A closed page and a restarted server do not stop them. */
export function useJobs() {
  const jobs = useQuery<{ jobs: Job[] }>({
    queryKey: ['jobs'],
    refetchInterval: ({ state }) => (!canceled(state.error) && runs(state.data?.jobs) ? 1000 : false),
  });
  const { say } = useAsk();
  const ended = useRef<string[]>(null);
  const all = jobs.data?.jobs;
  useEffect(() => {
    if (!all) return;
    const before = ended.current;
    ended.current = all.filter(over).map(({ id }) => id);
    const now = all.filter((job) => before && over(job) && !before.includes(job.id));
    if (!now.length) return;
    void queries.invalidateQueries(); // the list shows what the job has changed
    say(now.map((job) => `${nameOf(job)}: ${stateOf(job)}.`).join(' ')); // screen readers hear nothing of its progress
  }, [all, say]);
  return jobs;
}

/** The jobs but for the ended ones that were hidden in this tab. */
export function Jobs({ jobs }: { jobs: Job[] }) {
  const [hidden, setHidden] = useState(() => kept(HIDDEN));
  const hide = (id: string) => {
    const all = `${hidden} ${id}`;
    keep(HIDDEN, all);
    setHidden(all);
  };
  const shown = jobs.filter(({ id }) => !hidden.split(' ').includes(id));
  return shown.map((job) => <OneJob key={job.id} {...job} onHide={() => hide(job.id)} />);
}

const HIDDEN = 'hidden-jobs';

/** A job with its progress. */
export function OneJob({ onHide, ...job }: Job & { onHide?: () => void }) {
  const { id, action, done, total, more, skips, skipped, by } = job;
  const label = nameOf(job);
  const whole = action === 'import' ? counted(total, 'line', 'lines') : many(total, more).toLowerCase();
  const ended = over(job);
  const { ask } = useAsk();
  const stop = () =>
    ask({
      title: `Stop: ${label}`,
      says: <p>What it has done so far stays. The people who are left are not changed.</p>,
      press: 'Stop',
      danger: true,
      run: async () => {
        await change('POST', `jobs/${id}/stop`, {});
        return ''; // its end is said
      },
    });
  return (
    <section className="card job" aria-label={`Job: ${label}`}>
      <p>
        <b>{label}</b>
        <span className="muted">
          {stateOf(job)}, {done.toLocaleString('en')} of {whole}, begun by <bdi>{by}</bdi>
        </span>
      </p>
      {ended ? null : (
        <>
          <progress max={total} value={done} aria-label={label} />
          <button type="button" className="link" aria-label={`Stop: ${label}`} onClick={stop}>
            Stop
          </button>
        </>
      )}
      {ended && onHide ? (
        <button type="button" className="link" aria-label={`Hide: ${label}`} onClick={onHide}>
          Hide
        </button>
      ) : null}
      <SkippedList skipped={skipped} skips={skips} total={total} />
    </section>
  );
}
