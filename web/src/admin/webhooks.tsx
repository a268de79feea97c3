import { useQuery } from '@tanstack/react-query';
import { Entries, Entry, Icon } from '../screens/own/entry';
import { change } from './api';
import { type Question, useAsk } from './ask';
import { Card, Small, Tag, Time, Trouble } from './parts';
import type { Webhook, WebhookAnswer } from './types';
import { orMore, reasonOf } from './words';

export const webhookPath = (name: string, action = '') => `webhooks/${encodeURIComponent(name)}${action}`;

const STATES = {
  unused: ['plain', 'Unused'],
  works: ['good', 'Works'],
  failing: ['bad', 'Failing'],
} as const;

export const WebhookState = ({ of: { state } }: { of: Webhook }) => (
  <Tag tone={STATES[state][0]}>{STATES[state][1]}</Tag>
);

/** What a receiver has said: its status, and the beginning of its answer as text. Or why there is none. */
export const Answer = ({ status, answer }: Pick<WebhookAnswer, 'status' | 'answer'>) => (
  <>
    <span>{status ? `answer ${status}` : reasonOf(answer) || 'no answer'}</span>{' '}
    {answer ? <q dir="auto">{answer}</q> : null}
  </>
);

/** How much waits, and since when it fails. */
export const Waits = ({ of: { waiting, oldest_at, failing_at } }: { of: Webhook }) =>
  waiting ? (
    <span>
      {orMore(waiting, 10_000)} {waiting === 1 ? 'event waits' : 'events wait'}, the oldest since{' '}
      <Time at={oldest_at} />
      {failing_at ? ', after failures' : ''}
    </span>
  ) : (
    <span>nothing waits</span>
  );

/** Sends a test, and shows the answer. */
export const test = ({ name, url }: Webhook): Question => ({
  title: `Send ${name} a test?`,
  says: (
    <>
      An event of the type <code>portico.test</code> is sent to <bdi>{url}</bdi> at once. It is about nobody,
      and it is recorded that you have sent it.
    </>
  ),
  press: 'Send the test',
  run: async () => {
    const answer = await change<WebhookAnswer>('POST', webhookPath(name, '/test'), {});
    return {
      next: {
        title: answer.delivered ? `${name} has taken the test` : `${name} did not take the test`,
        says: <Answer {...answer} />,
        press: 'Close',
        told: true,
        run: async () => '',
      },
    };
  },
});

/** The receivers of events about accounts, if the settings have any. */
export function Webhooks() {
  const { data, error, refetch } = useQuery<{ webhooks: Webhook[] }>({ queryKey: ['webhooks'] });
  return (
    <>
      <Trouble error={error} retry={() => void refetch()} />
      {data?.webhooks.length ? <List webhooks={data.webhooks} /> : null}
    </>
  );
}

function List({ webhooks }: { webhooks: Webhook[] }) {
  const { ask } = useAsk();
  return (
    <Card title="Webhooks" about="They tell apps when an account changes.">
      <Entries>
        {webhooks.map((one) => (
          <Entry
            key={one.name}
            icon={<Icon icon="link" />}
            name={<a href={`/auth/admin/system?webhook=${encodeURIComponent(one.name)}`}>{one.name}</a>}
            badge={<WebhookState of={one} />}
            action={
              <Small label={`Test ${one.name}`} onClick={() => ask(test(one))}>
                Test
              </Small>
            }
          >
            <bdi>{one.url}</bdi>
            <Waits of={one} />
            {one.tried_at ? (
              <span>
                <Answer {...one} /> <Time at={one.tried_at} />
              </span>
            ) : null}
          </Entry>
        ))}
      </Entries>
    </Card>
  );
}
