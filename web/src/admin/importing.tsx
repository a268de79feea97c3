import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type MouseEvent, useState } from 'react';
import { Button } from '../ui/button';
import { Announcement } from '../ui/message';
import { go, useQueryOf, withValues } from './address';
import { canceled, change, sendFile } from './api';
import { onFrom } from './focus';
import { About, ordered } from './import-about';
import { OneJob } from './jobs';
import { Card, Loaded, Trouble } from './parts';
import { Head } from './shell';
import type { Import } from './types';
import { counted } from './words';

/** Asks for a file. The window of a missing proof opens before the file is sent. */
function Choose() {
  const [trouble, setTrouble] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return; // a second import would replace the first
    const form = event.currentTarget;
    const values = new FormData(form);
    setBusy(true);
    setTrouble(null);
    try {
      const { id } = await change<Import>('POST', 'imports', ordered(values));
      await sendFile(`imports/${id}/file`, values.get('file') as File);
      onFrom(form);
      go(withValues({ import: id }));
    } catch (error) {
      setTrouble(error);
    }
    setBusy(false);
  };
  return (
    <Card
      title="The file"
      about="Exports of other systems, JSON lines or CSV, up to 32 MiB. First each line is checked, and nothing is changed. Nobody gets an email."
    >
      <Trouble error={trouble} />
      <form className="import" onSubmit={submit}>
        <label className="field">
          File of people
          <input type="file" name="file" required />
        </label>
        <label className="check">
          <input type="checkbox" name="update" /> Change accounts that exist and differ
        </label>
        <label className="check">
          <input type="checkbox" name="keep_subject" /> Keep the former IDs for apps
        </label>
        <About />
        <Button type="submit" busy={busy}>
          {busy ? 'Checking the file' : 'Check the file'}
        </Button>
        <p role="status" className="muted">
          {busy ? 'The file is sent and checked. A large one takes a minute.' : ''}
        </p>
      </form>
    </Card>
  );
}

/** What becomes, or has become, of the people of the file. */
function Sum({ sum, done }: { sum: Import['plan']; done: boolean }) {
  const rows: [string, number][] = [
    [done ? 'Created' : 'To create', sum.created],
    [done ? 'Changed' : 'To change', sum.changed],
    ['As they are', sum.unchanged],
    ['With a problem', sum.refused],
  ];
  return (
    <>
      <dl className="import-sum">
        {rows.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      {sum.missing_fields.map(({ field, brings }) => (
        <p key={field} className="muted">
          The file has no <bdi>{field}</bdi>, so nobody brings {brings}.
        </p>
      ))}
      <Counts title="What they bring" counts={sum.with.filter(({ count }) => count > 0)} />
      <Counts title="Left out" counts={sum.left_out} />
      <Counts title="Fields that Portico does not use" counts={sum.unknown_fields} />
    </>
  );
}

const Counts = ({ title, counts }: { title: string; counts: Import['plan']['left_out'] }) =>
  counts.length ? (
    <details className="skipped" open={counts.length < 6}>
      <summary>{title}</summary>
      <ul>
        {counts.map(({ name, count }) => (
          <li key={name}>
            <bdi>{name}</bdi>: {counted(count, 'person', 'people')}
          </li>
        ))}
      </ul>
    </details>
  ) : null;

const Problems = ({ of: { id, problems }, count }: { of: Import; count: number }) =>
  problems.length ? (
    <Card
      title="Problems"
      action={
        <a href={`/auth/api/admin/imports/${encodeURIComponent(id)}/rejected`} download>
          Download these lines
        </a>
      }
      {...(count > problems.length
        ? { about: `The first ${problems.length} of ${count.toLocaleString('en')}.` }
        : {})}
    >
      <ul className="judged">
        {problems.map(({ where, field, value, reason }) => (
          <li key={`${where} ${field}`}>
            <span>
              {where}
              {field ? ', ' : null}
              <bdi>{field}</bdi> {value ? <q>{value}</q> : null}
            </span>
            <span className="muted">{reason}</span>
          </li>
        ))}
      </ul>
    </Card>
  ) : null;

/** A file that was checked, and then its job. A closed page and a restarted server stop neither. */
function Checked({ it }: { it: Import }) {
  const [trouble, setTrouble] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const { id, state, plan, did, job } = it;
  const good = plan.created + plan.changed;
  const start = async ({ currentTarget }: MouseEvent) => {
    if (busy) return;
    setBusy(true);
    setTrouble(null);
    await change('POST', `imports/${id}/start`, { skip_bad: true }).then(
      () => onFrom(currentTarget),
      setTrouble,
    );
    setBusy(false);
  };
  const begun = state !== 'checked';
  return (
    <>
      {begun ? <OneJob {...job} /> : null}
      <Trouble error={trouble} />
      <Card title={begun ? 'What was done' : 'What will be done'}>
        <Sum sum={begun ? did : plan} done={begun} />
        <div className="import-ends">
          {begun || !good ? null : (
            <Button type="button" busy={busy} onClick={start}>
              {`Import ${counted(good, 'person', 'people')}${plan.refused ? ` and skip ${counted(plan.refused, 'line', 'lines')}` : ''}`}
            </Button>
          )}
          {state === 'running' ? null : <a href={withValues({ import: 'new' })}>Choose another file</a>}
        </div>
      </Card>
      {state === 'running' ? null : <Problems of={it} count={begun ? did.refused : plan.refused} />}
    </>
  );
}

/** The step of now, for screen readers. */
function stepOf({ state, plan }: Import) {
  if (state === 'checked')
    return `The file is checked: ${counted(plan.created + plan.changed, 'person', 'people')} to import`;
  return state === 'open' ? '' : state === 'running' ? 'The import has begun' : 'The import has ended';
}

/** Takes people from the file of another system. */
export function Place() {
  const id = useQueryOf().get('import') ?? '';
  const chosen = id !== '' && id !== 'new';
  const query = useQuery<Import>({
    queryKey: [`imports/${encodeURIComponent(id)}`],
    enabled: chosen,
    refetchInterval: ({ state }) =>
      !canceled(state.error) && state.data?.state === 'running' ? 1000 : false,
  });
  return (
    <>
      <Head title="Import people" actions={<a href="/auth/admin/people">All people</a>}>
        Accounts from another system, with their passwords and second factors.
      </Head>
      <Announcement words={query.data ? stepOf(query.data) : ''} />
      {chosen ? (
        <Loaded query={query}>{(it) => (it.state === 'open' ? <Choose /> : <Checked it={it} />)}</Loaded>
      ) : (
        <Choose />
      )}
    </>
  );
}
