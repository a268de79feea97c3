import { change, send } from './api';
import { type Question, useAsk } from './ask';
import { Actions } from './menu';
import type { Selection } from './selection';
import type { Job } from './types';
import { ADMIN, counted, RESIGNS } from './words';

type Action = Exclude<Job['action'], 'import'>;

/** What can be done to many people. The words follow "will be" and "are". */
const ACTIONS: Record<
  Action,
  { label: string; words: string; note?: string; danger?: boolean; role?: string }
> = {
  'end-sessions': { label: 'Sign out everywhere', words: 'signed out everywhere', danger: true },
  disable: {
    label: 'Disable',
    words: 'disabled and signed out',
    note: `If an administrator is among them, this ${RESIGNS}`,
    danger: true,
  },
  enable: {
    label: 'Enable',
    words: 'enabled',
    note: 'This also approves accounts that wait for an approval.',
  },
  'give-role': { label: 'Give a role', words: 'given the role', role: 'Give the role' },
  'take-role': { label: 'Take away a role', words: 'without the role', role: 'Take away the role' },
};

/** What is done, with the role that it is about. */
export const labelOf = (action: Action, role: string) =>
  role ? `${ACTIONS[action].role} ${role}` : ACTIONS[action].label;

type Target = { people: string[] } | { all: true; filter: string };

/** Why somebody is skipped. */
const SKIPS: Record<Job['skipped'][number]['reason'], string> = {
  self: 'is you',
  same: 'needs no change',
  leaving: 'is about to be deleted, which only the page of the person can undo',
  waiting: 'waits for an approval, which the page of the person can refuse',
  full: 'has too many roles',
  missing: 'no longer exists',
  limited: 'has received too many emails about your changes today: another administrator can make this one',
  refused: 'was refused',
};

export const many = (count: number, more = false) =>
  `${more ? 'At least ' : ''}${counted(count, 'person', 'people')}`;

/** Says what is skipped and why: before, and after. */
export const SkippedList = ({ skipped, skips, total }: Pick<Job, 'skipped' | 'skips' | 'total'>) =>
  skipped.length ? (
    <details className="skipped" open={skipped.length < 6}>
      <summary>
        {skips.toLocaleString('en')} of {total.toLocaleString('en')} skipped
      </summary>
      <ul>
        {skipped.map(({ id, address, reason }) => (
          <li key={id}>
            <bdi>{address || 'An account'}</bdi>: {SKIPS[reason]}
          </li>
        ))}
        {skips > skipped.length ? <li>and {(skips - skipped.length).toLocaleString('en')} more</li> : null}
      </ul>
    </details>
  ) : null;

function questionFor(action: Action, target: Target, role: string, trial: Job): Question {
  const { label, words, note, danger } = ACTIONS[action];
  const left = trial.total - trial.skips;
  const resigns = action === 'take-role' && role === ADMIN;
  if (!left && !trial.more)
    return {
      title: `${label}: nobody`,
      says: trial.total ? <SkippedList {...trial} /> : 'Nobody would be changed.',
      press: 'Close',
      told: true,
      run: async () => '',
    };
  return {
    title: left ? `${label}: ${many(left, trial.more)}` : labelOf(action, role),
    says: (
      <>
        <p>
          {left
            ? `${many(left, trial.more)} will be ${role ? `${words} ${role}` : words}.`
            : 'Nobody counted so far would be changed. The job goes through the rest.'}{' '}
          This runs in the background, and you can leave this page. {resigns ? `It ${RESIGNS}` : note}
        </p>
        <SkippedList {...trial} />
      </>
    ),
    press: label,
    danger: danger ?? false,
    run: async () => {
      await change('POST', 'jobs', { action, role, ...target });
      return 'The job has begun.';
    },
  };
}

/** The actions on the selected rows, and the choice of all rows that the filters find. */
export function BulkBar(props: { selection: Selection; filter: Record<string, string>; more: boolean }) {
  const { selection, filter, more } = props;
  const { ask } = useAsk();
  const count = selection.ids.length;
  const { after: _, limit: __, ...question } = filter;

  const begin = (action: Action, target: Target) => {
    const { label, role } = ACTIONS[action];
    ask({
      title: role ? label : `${label}: counting the people`,
      press: 'Go on',
      atOnce: !role,
      fields: role ? [{ name: 'role', label: 'Role', required: true }] : [],
      run: async (values) => {
        const given = String(values.get('role') ?? '').trim();
        const trial = await send<Job>('POST', 'jobs', { action, role: given, try: true, ...target });
        return { next: questionFor(action, target, given, trial) };
      },
    });
  };
  const items = (target: Target) =>
    (Object.keys(ACTIONS) as Action[]).map((action) => ({
      label: ACTIONS[action].label,
      danger: ACTIONS[action].danger ?? false,
      run: () => begin(action, target),
    }));

  return (
    <section className="bulk" aria-label="Selection">
      <p role="status">{count ? `${many(count)} selected` : 'Nobody selected'}</p>
      {count ? (
        <>
          <Actions of="the selected people" words="Actions" items={items({ people: selection.ids })} />
          <button type="button" className="link" onClick={selection.clear}>
            Clear
          </button>
        </>
      ) : null}
      {more ? (
        <span className="bulk-all">
          <Actions
            of="these filters"
            words="All that match"
            items={items({ all: true, filter: String(new URLSearchParams(question)) })}
          />
        </span>
      ) : null}
    </section>
  );
}
