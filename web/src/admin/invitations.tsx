import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Button } from '../ui/button';
import { useQueryOf } from './address';
import { change, send } from './api';
import { type Question, useAsk } from './ask';
import { Actions } from './menu';
import { Tag, Time } from './parts';
import { Head } from './shell';
import { type Column, Pager, Table } from './table';
import type { Invitation, Line, Page } from './types';

interface Invitations extends Page {
  invitations: Invitation[];
}

const VERDICTS: Record<string, string> = {
  ok: 'will be invited',
  malformed: 'is not an address',
  exists: 'has an account',
  invited: 'is invited already',
  twice: 'is in the list twice',
  domain: 'has a domain that may not sign up',
};

const TONES: Record<string, 'good' | 'bad' | 'warn' | 'plain'> = {
  delivered: 'good',
  used: 'good',
  refused: 'bad',
  ended: 'warn',
};

/** Whether a line is like the verdict. What is not invited comes first, because somebody must look at it. */
const Judged = ({ lines }: { lines: Line[] }) => (
  <ul className="judged">
    {lines
      .toSorted((a, b) => Number(a.verdict === 'ok') - Number(b.verdict === 'ok'))
      .map(({ line, text, address, verdict, reason }) => (
        <li key={line} className={verdict === 'ok' ? '' : 'failed'}>
          <span className="muted">{line}</span> <bdi>{address || text}</bdi>{' '}
          <span className="judged-words">{reason || (VERDICTS[verdict] ?? verdict)}</span>
        </li>
      ))}
  </ul>
);

const text = (values: FormData, name: string) => String(values.get(name) ?? '').trim();

function sending(lines: Line[], values: FormData): Question {
  const addresses = lines.filter(({ verdict }) => verdict === 'ok').map(({ address }) => address ?? '');
  const end = text(values, 'ends_at');
  return {
    title: `Invite ${addresses.length} of ${lines.length}?`,
    says: <Judged lines={lines} />,
    press: addresses.length ? `Send ${addresses.length} invitations` : 'Nothing to send',
    run: async () => {
      if (!addresses.length) return 'No invitation was sent.';
      await change('POST', 'invitations', {
        addresses,
        roles: text(values, 'roles')
          .split(/[\s,]+/)
          .filter(Boolean),
        text: text(values, 'text'),
        ...(end ? { account_ends_at: `${end}T00:00:00Z` } : {}),
      });
      return `${addresses.length} invitations are on their way.`;
    },
  };
}

const INVITE: Question = {
  title: 'Invite people',
  press: 'Check the list',
  fields: [
    {
      name: 'list',
      label: 'Addresses',
      type: 'area',
      required: true,
      hint: 'One on each line, with a name if you like: mara@example.com, Mara. A pasted CSV works. Nothing is sent yet.',
    },
    {
      name: 'roles',
      label: 'Roles',
      hint: 'Separated by commas. They are given when the invitation is accepted.',
    },
    { name: 'ends_at', label: 'End of the accounts', type: 'date', hint: 'Empty means never.' },
    { name: 'text', label: 'A text of yours in the email' },
  ],
  run: async (values) => {
    const { lines } = await send<{ lines: Line[] }>('POST', 'invitations/check', {
      text: text(values, 'list'),
    });
    return { next: sending(lines, values) };
  },
};

const doing = (it: Invitation, action: string, title: string, says: string, done: string): Question => ({
  title,
  says,
  press: title.replace(/ .*/, ''),
  danger: action === 'end' || action === 'refuse',
  run: async () => {
    await change('POST', `invitations/${encodeURIComponent(it.id)}/${action}`);
    return done;
  },
});

function itemsFor(it: Invitation, ask: (question: Question) => void) {
  const { address, state } = it;
  if (state === 'waiting approval')
    return [
      {
        label: 'Approve',
        run: () =>
          ask(
            doing(
              it,
              'approve',
              `Approve ${address}?`,
              'The account is made, and an email says so.',
              `${address} is approved.`,
            ),
          ),
      },
      {
        label: 'Refuse',
        danger: true,
        run: () =>
          ask(doing(it, 'refuse', `Refuse ${address}?`, 'An email says so.', `${address} is refused.`)),
      },
    ];
  if (state === 'used') return [];
  return [
    {
      label: 'Send again',
      run: () =>
        ask(
          doing(
            it,
            'again',
            `Send the invitation to ${address} again?`,
            'A new email replaces the one before, which then no longer works.',
            `A new invitation to ${address} is on its way.`,
          ),
        ),
    },
    {
      label: 'End',
      danger: true,
      run: () =>
        ask(
          doing(
            it,
            'end',
            `End the invitation to ${address}?`,
            'Its link no longer works.',
            `The invitation to ${address} has ended.`,
          ),
        ),
    },
  ];
}

const StateOf = ({ state }: Pick<Invitation, 'state'>) => (
  <Tag tone={TONES[state] ?? 'plain'}>{state.replace(/^./, (c) => c.toUpperCase())}</Tag>
);

const columnsFor = (ask: (question: Question) => void): Column<Invitation>[] => [
  {
    name: 'Address',
    cell: (it) => (
      <div className="who">
        <p className="entry-name">
          <bdi>{it.address}</bdi>
        </p>
        <p className="entry-line">{it.answer ? <q>{it.answer}</q> : null}</p>
        <p className="narrow">
          <StateOf state={it.state} />
          <span>
            sent <Time at={it.sent_at} />
          </span>
        </p>
      </div>
    ),
  },
  { name: 'State', wide: true, cell: (it) => <StateOf state={it.state} /> },
  { name: 'Roles', wide: true, cell: (it) => it.roles.map((role) => <Tag key={role}>{role}</Tag>) },
  { name: 'Sent', wide: true, cell: (it) => <Time at={it.sent_at} /> },
  { name: 'Ends', wide: true, cell: (it) => <Time at={it.ends_at} /> },
  {
    name: 'Actions',
    quiet: true,
    cell: (it) => {
      const items = itemsFor(it, ask);
      return items.length ? <Actions of={it.address} items={items} /> : null;
    },
  },
];

/** Who is invited, and who waits for an approval. */
export function Place() {
  const { ask } = useAsk();
  const query = useQueryOf();
  const invitations = useQuery<Invitations>({
    queryKey: [`invitations?${query}`],
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Head
        title="Invitations"
        actions={
          <Button type="button" onClick={() => ask(INVITE)}>
            Invite people
          </Button>
        }
      >
        An invitation is an email with a link that makes an account.
      </Head>
      <Table
        label="invitations"
        query={invitations}
        rowsOf={(answer) => answer.invitations}
        keyOf={(it) => it.id}
        columns={columnsFor(ask)}
        empty={
          <>
            <h2>Nobody is invited</h2>
            <p>Invite one person, or paste a whole list. Each line is checked before anything is sent.</p>
          </>
        }
      />
      <Pager page={invitations.data} label="invitations" />
    </>
  );
}
