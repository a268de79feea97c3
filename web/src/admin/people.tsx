import { actionsFor, nameOf } from './actions';
import { useQueryOf, within } from './address';
import { useAsk } from './ask';
import { BulkBar } from './bulk';
import { midnightOf } from './days';
import { Choice, type Filter, Filters } from './filters';
import { Jobs, useJobs } from './jobs';
import { Actions } from './menu';
import { Roles, Seen, StateTag, Tag } from './parts';
import { useSelection } from './selection';
import { Head } from './shell';
import { type Column, Table, useRows } from './table';
import type { People, Row } from './types';

const FILTERS: Filter[] = [
  { name: 'role', label: 'Role', hint: 'portico:admin' },
  {
    name: 'state',
    label: 'State',
    options: [
      ['active', 'Active'],
      ['disabled', 'Disabled'],
      ['leaving', 'Being deleted'],
      ['waiting', 'Waits for an approval'],
    ],
  },
  {
    name: 'factor',
    label: 'Second factor',
    options: [
      ['none', 'None'],
      ['any', 'Any of them'],
      ['passkey', 'Passkey'],
      ['no-passkey', 'No passkey'],
      ['totp', 'Authenticator app'],
    ],
  },
  {
    name: 'verified',
    label: 'Address',
    options: [
      ['yes', 'Verified'],
      ['no', 'Not verified'],
    ],
  },
  { name: 'created_from', label: 'Created from', type: 'date' },
  { name: 'created_to', label: 'Created before', type: 'date' },
  { name: 'seen_before', label: 'Last seen before', type: 'date' },
];

const DAYS = ['created_from', 'created_to', 'seen_before'];

/** What the API is asked for the address of this page. A whole address is looked up as one. */
export function questionOf(query: URLSearchParams): Record<string, string> {
  const asked: Record<string, string> = {};
  for (const name of ['after', 'q', ...FILTERS.map((filter) => filter.name)]) {
    const value = query.get(name);
    if (value) asked[name] = DAYS.includes(name) ? midnightOf(value) : value;
  }
  const q = asked['q'];
  if (q)
    asked['by'] = /^\S+@\S+\.\S+$/.test(q)
      ? 'address'
      : query.get('by') === 'name'
        ? 'name-prefix'
        : 'address-prefix';
  return asked;
}

/** What a person can be asked for at the second step, in words. */
function factorsOf({ factors: { totp, passkeys } }: Row) {
  if (!totp && !passkeys) return <span className="muted">None</span>;
  return (
    <>
      {passkeys ? <Tag tone="good">{passkeys > 1 ? `${passkeys} passkeys` : 'Passkey'}</Tag> : null}
      {totp ? <Tag tone="good">{totp > 1 ? `${totp} apps` : 'App'}</Tag> : null}
    </>
  );
}

const Who = ({ row }: { row: Row }) => (
  <div className="who">
    <a href={`/auth/admin/people/${encodeURIComponent(row.id)}`}>
      <bdi>{nameOf(row)}</bdi>
    </a>
    <p className="who-line">{row.name ? <bdi>{row.address}</bdi> : null}</p>
    <p className="narrow">
      {row.state === 'active' ? null : <StateTag of={row} />}
      <Roles of={row} />
      {row.factors.totp || row.factors.passkeys ? factorsOf(row) : <Tag>No second factor</Tag>}
    </p>
  </div>
);

function columnsFor(actions: (row: Row) => React.ReactNode): Column<Row>[] {
  return [
    { name: 'Person', cell: (row) => <Who row={row} /> },
    { name: 'State', wide: true, cell: (row) => <StateTag of={row} /> },
    { name: 'Second factor', wide: true, cell: factorsOf },
    { name: 'Roles', wide: true, cell: (row) => <Roles of={row} /> },
    { name: 'Last seen', wide: true, cell: (row) => <Seen at={row.seen_at} /> },
    { name: 'Actions', quiet: true, cell: actions },
  ];
}

/** The list of all people. */
export function Place() {
  const { ask } = useAsk();
  const query = useQueryOf();
  const asked = questionOf(query);
  const people = useRows<People>(`people?${new URLSearchParams(asked)}`, (page) => page.people);
  const jobs = useJobs();
  const selection = useSelection();
  const filtered = Object.keys(asked).some((name) => name !== 'after');
  const beside = (
    <Choice name="by" label="Search in" all="Address begins with" options={[['name', 'Name begins with']]} />
  );
  const none = filtered ? (
    <>
      <h2>Nobody matches</h2>
      <p>
        The search finds a whole address, or the beginning of an address or a name.{' '}
        <a href="/auth/admin/people" onClick={within}>
          Show everybody
        </a>
      </p>
    </>
  ) : (
    <>
      <h2>Nobody is here yet</h2>
      <p>
        People appear here when they sign up. You can also invite them, or import them from another system.
      </p>
    </>
  );
  const head = <Head title="People" actions={<a href="/auth/admin/people?import=new">Import people</a>} />;
  if (jobs.isPending && !jobs.failureCount) return head; // jobs that came later would push the list down
  return (
    <>
      {head}
      <Jobs jobs={jobs.data?.jobs ?? []} />
      <Filters search={{ name: 'q', label: 'Search people', beside }} filters={FILTERS} />
      <BulkBar selection={selection} filter={asked} more={Boolean(people.data?.next || asked['after'])} />
      <Table
        label="people"
        query={people}
        rowsOf={(answer) => answer.people}
        keyOf={(row) => row.id}
        nameOf={nameOf}
        selection={selection}
        empty={none}
        columns={columnsFor((row) => <Actions of={nameOf(row)} items={actionsFor(row, ask)} />)}
      />
    </>
  );
}
