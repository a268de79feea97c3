import { useQuery } from '@tanstack/react-query';
import { Button } from '../ui/button';
import { Notice } from '../ui/message';
import { useQueryOf, within } from './address';
import { type Question, useAsk } from './ask';
import { Choice } from './filters';
import { again, end, invite, MANY, nameOf } from './inviting';
import { Actions } from './menu';
import { Roles, Small, Tag, Time } from './parts';
import { Head } from './shell';
import { type Column, Table, useRows } from './table';
import type { Invitation, Invitations, People } from './types';

const STATES: Record<Invitation['state'], [tone: 'good' | 'bad' | 'warn' | 'plain', words: string]> = {
  open: ['plain', 'Open'],
  sent: ['plain', 'Sent'],
  delivered: ['good', 'Delivered'],
  refused: ['bad', 'Not delivered'],
  opened: ['good', 'Opened'],
  used: ['good', 'Used'],
  ended: ['warn', 'Ended'],
};

const StateOf = ({ of: { state, used, most } }: { of: Invitation }) => (
  <>
    <Tag tone={STATES[state][0]}>{STATES[state][1]}</Tag> {most > 1 ? `${used} of ${most}` : null}
  </>
);

const columnsFor = (ask: (question: Question) => void): Column<Invitation>[] => [
  {
    name: 'Address',
    cell: (it) => (
      <div className="who">
        <p className="entry-name">
          <bdi>{it.address || (it.first ? 'Link for the first administrator' : 'Link for many')}</bdi>
        </p>
        {it.state === 'refused' ? <p className="entry-line">{it.answer}</p> : null}
        <p className="narrow">
          <StateOf of={it} />
          <Roles of={it} />
          <span>
            ends <Time at={it.ends_at} />
          </span>
        </p>
      </div>
    ),
  },
  { name: 'State', wide: true, cell: (it) => <StateOf of={it} /> },
  { name: 'Roles', wide: true, cell: (it) => <Roles of={it} /> },
  { name: 'Sent', wide: true, cell: (it) => <Time at={it.sent_at} /> },
  { name: 'Ends', wide: true, cell: (it) => <Time at={it.ends_at} /> },
  {
    name: 'Actions',
    quiet: true,
    cell: (it) => {
      if (it.state === 'used' || it.state === 'ended') return null;
      const items = [{ label: 'End', danger: true, run: () => ask(end(it)) }];
      if (it.address) items.unshift({ label: 'Send again', danger: false, run: () => ask(again(it)) });
      return <Actions of={nameOf(it)} items={items} />;
    },
  },
];

/** Leads to the accounts that wait for an approval. */
function Waiting() {
  const { data } = useQuery<People>({ queryKey: ['people?state=waiting'] });
  if (!data?.people.length) return null;
  return (
    <Notice
      words={`${data.people.length}${data.next ? ' or more' : ''} ${data.people.length === 1 ? 'account waits' : 'accounts wait'} for an approval.`}
    >
      <a href="/auth/admin/people?state=waiting">Look at them</a>
    </Notice>
  );
}

/** Who is invited. */
export function Place() {
  const { ask } = useAsk();
  const asked = useQueryOf();
  const invitations = useRows<Invitations>(`invitations?${asked}`, (page) => page.invitations);
  const none = asked.has('state') ? (
    <>
      <h2>No invitation is in this state</h2>
      <p>
        <a href="/auth/admin/invitations" onClick={within}>
          Show all invitations
        </a>
      </p>
    </>
  ) : (
    <>
      <h2>Nobody is invited</h2>
      <p>Invite one person, or paste a whole list. Each line is checked before anything is sent.</p>
    </>
  );
  return (
    <>
      <Head
        title="Invitations"
        actions={
          <>
            <Small onClick={() => ask(MANY)}>Link for many</Small>
            <Button type="button" onClick={() => ask(invite())}>
              Invite people
            </Button>
          </>
        }
      >
        An email with a link that makes an account.
      </Head>
      <Waiting />
      <search className="filters">
        <div className="filters-line">
          <Choice
            name="state"
            label="State of the invitations"
            all="In every state"
            options={Object.entries(STATES).map(([state, [, words]]) => [state, words])}
          />
        </div>
      </search>
      <Table
        label="invitations"
        query={invitations}
        rowsOf={(answer) => answer.invitations}
        keyOf={(it) => it.id}
        columns={columnsFor(ask)}
        empty={none}
      />
    </>
  );
}
