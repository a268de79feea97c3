import { useQueryOf } from './address';
import { change } from './api';
import { type Question, useAsk } from './ask';
import { Actions } from './menu';
import { Small, Tag, Time } from './parts';
import { Head } from './shell';
import { type Column, Table, useRows } from './table';
import type { Deliveries, Delivery, Retried } from './types';
import { Answer, test, Waits, WebhookState, webhookPath } from './webhooks';

const State = ({ of: { state, failures } }: { of: Delivery }) => {
  if (state === 'delivered') return <Tag tone="good">Delivered</Tag>;
  if (state === 'dropped') return <Tag tone="bad">Dropped</Tag>;
  if (state === 'held') return <Tag>Waits for an earlier one</Tag>;
  return failures ? <Tag tone="warn">Tried, waits</Tag> : <Tag>Waits</Tag>;
};

const again = (name: string, { id, type }: Delivery): Question => ({
  title: `Send ${type} again?`,
  says: 'It keeps its id, has what the account is now, and comes after what waits for the same person.',
  press: 'Send again',
  run: async () => {
    await change<Retried>('POST', webhookPath(name, '/retry'), { id });
    return 'The event is on its way.';
  },
});

const allAgain = (name: string): Question => ({
  title: `Send all dropped events of ${name} again?`,
  says: 'They keep their ids, and come after what waits for the same people.',
  press: 'Send all again',
  run: async () => {
    let queued = 0;
    let body = {};
    for (let more = true; more; ) {
      const part = await change<Retried>('POST', webhookPath(name, '/retry'), body);
      queued += part.queued;
      more = part.more;
      body = { before: part.before };
    }
    if (!queued) return 'No event was dropped.';
    return queued === 1 ? '1 event is on its way.' : `${queued} events are on their way.`;
  },
});

const LONG = 120;

/** What the receiver has said last. A long answer unfolds. */
function Last({ of: { tried_at, status, answer } }: { of: Delivery }) {
  if (!tried_at) return null;
  if (answer.length <= LONG) return <Answer status={status} answer={answer} />;
  return (
    <details>
      <summary>
        <Answer status={status} answer={`${answer.slice(0, LONG)}…`} />
      </summary>
      <pre dir="auto">{answer}</pre>
    </details>
  );
}

const columnsFor = (name: string, ask: (question: Question) => void): Column<Delivery>[] => [
  {
    name: 'Event',
    cell: (delivery) => (
      <div className="who">
        <p className="entry-name">
          {delivery.type} <State of={delivery} />
        </p>
        <p className="narrow">
          <Time at={delivery.at} />
        </p>
        <Last of={delivery} />
        <p className="entry-line">
          {delivery.failures ? <span>failed attempts: {delivery.failures}</span> : null}
          {delivery.due_at ? (
            <span>
              next attempt <Time at={delivery.due_at} />
            </span>
          ) : null}
          <code>{delivery.id}</code>
          <a href={`/auth/admin/people/${encodeURIComponent(delivery.person)}`}>person {delivery.person}</a>
        </p>
      </div>
    ),
  },
  { name: 'Time', wide: true, cell: ({ at }) => <Time at={at} /> },
  {
    name: 'Actions',
    quiet: true,
    cell: (delivery) =>
      delivery.ended_at ? (
        <Actions
          of={`${delivery.type}, ${delivery.id}`}
          items={[{ label: 'Send again', run: () => ask(again(name, delivery)) }]}
        />
      ) : null,
  },
];

/** The events of one webhook, with what became of them. */
export function Place() {
  const { ask } = useAsk();
  const query = useQueryOf();
  const name = query.get('webhook') ?? '';
  const after = query.get('after');
  const list = useRows<Deliveries>(
    webhookPath(name, after ? `?${new URLSearchParams({ after })}` : ''),
    (page) => page.deliveries,
  );
  const webhook = list.data?.webhook;
  return (
    <>
      <Head
        title={name}
        badge={webhook ? <WebhookState of={webhook} /> : null}
        actions={
          webhook ? (
            <>
              <Small onClick={() => ask(allAgain(name))}>Send dropped again</Small>
              <Small onClick={() => ask(test(webhook))}>Test</Small>
            </>
          ) : null
        }
      >
        A webhook of the <a href="/auth/admin/system">system</a>.{' '}
        {webhook ? (
          <>
            <bdi>{webhook.url}</bdi>, <Waits of={webhook} />.
          </>
        ) : null}
      </Head>
      <Table
        label="events"
        query={list}
        rowsOf={(answer) => answer.deliveries}
        keyOf={(delivery) => delivery.id}
        columns={columnsFor(name, ask)}
        empty={
          <>
            <h2>No events</h2>
            <p>No account has changed in the last week, or the webhook wants other events.</p>
          </>
        }
      />
    </>
  );
}
