import { useQueryOf, within, withValues } from './address';
import { boot } from './boot';
import { midnightOf } from './days';
import { Choice, type Filter, Filters } from './filters';
import { Time } from './parts';
import { Head } from './shell';
import { type Column, Table, useRows } from './table';
import type { Fact, Facts } from './types';
import { ACTORS, detailWords, eventFailed } from './words';

const FILTERS: Filter[] = [
  {
    name: 'actor',
    label: 'Changed by',
    hint: 'administrator, API key, or operator',
    people: { role: 'portico:admin', keys: true },
  },
  { name: 'network', label: 'Network', hint: '192.0.2.1' },
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'Before', type: 'date' },
];

const KINDS = boot.events.map(({ kind, words }): [string, string] => [kind, words]);

const Actor = ({ actor: { kind, id, name } }: Fact) =>
  kind === 'self' || !kind ? null : (
    <span>
      by {ACTORS[kind] ?? kind}{' '}
      {id ? (
        <a
          href={withValues({ actor: `${kind}:${id}` })}
          onClick={within}
          aria-label={`Only what ${name || id} did`}
        >
          <bdi>{name || id}</bdi>
        </a>
      ) : null}
    </span>
  );

/** Whom an event is about. An account that was erased has only its id, and no page. */
const Subject = ({ person: { id, address, name } }: Pick<Fact, 'person'>) => {
  if (!id) return <span className="muted">none</span>;
  if (!address)
    return (
      <a href={withValues({ person: id })} onClick={within}>
        erased account {id}
      </a>
    );
  return (
    <a href={`/auth/admin/people/${encodeURIComponent(id)}`}>
      <bdi>{name || address}</bdi>
    </a>
  );
};

const COLUMNS: Column<Fact>[] = [
  {
    name: 'Event',
    cell: (fact) => (
      <div className={eventFailed(fact.kind) ? 'who failed' : 'who'}>
        <p className="entry-name">{fact.words}</p>
        <p className="narrow">
          <Subject person={fact.person} /> <Time at={fact.at} />
          {fact.network ? <span>{fact.network}</span> : null}
        </p>
        <p className="entry-line">
          <Actor {...fact} />
          {fact.detail ? <span>{detailWords(fact.kind, fact.detail)}</span> : null}
          {fact.browser ? <span>{fact.browser}</span> : null}
          {fact.request_id ? <span>request {fact.request_id}</span> : null}
        </p>
      </div>
    ),
  },
  {
    name: 'Person',
    wide: true,
    cell: (fact) => (
      <div className="subject">
        <Subject person={fact.person} />
      </div>
    ),
  },
  {
    name: 'Network',
    wide: true,
    cell: ({ network }) =>
      network ? (
        <a
          className="network"
          href={withValues({ network })}
          onClick={within}
          aria-label={`Only the network ${network}`}
        >
          {network}
        </a>
      ) : null,
  },
  { name: 'Time', wide: true, cell: (fact) => <Time at={fact.at} /> },
];

/** The record of what happened, with filters, and files of what they find. */
export function Place() {
  const query = useQueryOf();
  const asked = new URLSearchParams(query);
  for (const name of ['from', 'to']) {
    const day = asked.get(name);
    if (day) asked.set(name, midnightOf(day));
  }
  const facts = useRows<Facts>(`record?${asked}`, (page) => page.facts);
  // A filter from a link has the id of the actor.
  const say = (actor: string) =>
    facts.data?.facts.find((fact) => `${fact.actor.kind}:${fact.actor.id}` === actor)?.actor.name || actor;
  // Only a name that is chosen from the list becomes an address.
  const onlyNamed = /^(?!.*@|[0-9a-z]{26}$)./i.test(query.get('person') ?? '');
  const exported = new URLSearchParams(asked);
  exported.delete('after');
  const file = (form: string) => `/auth/api/admin/record.${form}?${exported}`;
  return (
    <>
      <Head
        title="Record"
        actions={
          <>
            <a className="button-button button-secondary" href={file('csv')} download>
              CSV
            </a>
            <a className="button-button button-secondary" href={file('jsonl')} download>
              JSON lines
            </a>
          </>
        }
      >
        Who did what, when, and from where. A file has everything that the filters find, and is recorded
        itself.
      </Head>
      <Filters
        search={{
          name: 'person',
          label: 'Name, address or id of a person',
          people: {},
          beside: <Choice name="kind" label="Kind of event" all="All kinds of events" options={KINDS} />,
        }}
        filters={FILTERS.map((filter) => (filter.name === 'actor' ? { ...filter, say } : filter))}
      />
      <Table
        label="events"
        query={facts}
        rowsOf={(answer) => answer.facts}
        keyOf={(fact) => fact.id}
        columns={COLUMNS}
        empty={
          <>
            <h2>Nothing found</h2>
            <p>
              {onlyNamed
                ? 'The record can’t be searched by a name alone. Choose the person from the list below the field.'
                : 'No event matches.'}{' '}
              <a href="/auth/admin/record" onClick={within}>
                Show all events
              </a>
            </p>
          </>
        }
      />
    </>
  );
}
