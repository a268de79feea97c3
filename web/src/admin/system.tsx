import { useQuery } from '@tanstack/react-query';
import { Empty, Entries, Entry, Icon } from '../screens/own/entry';
import { change, queries } from './api';
import { useAsk } from './ask';
import { Card, Loaded, Small, Tag, Time } from './parts';
import { MailState, Said } from './person-lists';
import { Head } from './shell';
import type { System } from './types';
import { Webhooks } from './webhooks';
import { mailWords, orMore } from './words';

const CHECKS = {
  ok: ['good', 'OK'],
  warning: ['warn', 'Warning'],
  failed: ['bad', 'Failed'],
  skipped: ['plain', 'Skipped'],
} as const;

const ORDER = { failed: 0, warning: 1, skipped: 2, ok: 3 };

/** How the installation is. */
export function Place() {
  const system = useQuery<System>({ queryKey: ['system'] });
  const { say } = useAsk();
  const again = async () => {
    if (system.isFetching) return;
    say('');
    void queries.invalidateQueries({ queryKey: ['webhooks'] });
    const { isSuccess } = await system.refetch();
    if (isSuccess) say('Everything is checked again.');
  };
  return (
    <>
      <Head
        title="System"
        actions={
          <Small busy={system.isFetching} onClick={again}>
            Check again
          </Small>
        }
      >
        Checks of this server and its database, the nodes, the signing keys, and the emails and events that
        wait. <code>portico doctor</code> also asks the mail server, the providers, the apps, the webhooks and
        the DNS.
      </Head>
      <Loaded query={system}>{(data) => <Whole {...data} />}</Loaded>
    </>
  );
}

function Whole({ version, commit, checks, nodes, signing_keys, mail }: System) {
  return (
    <div className="columns">
      <div>
        {checks.length ? (
          <Card title="Checks">
            <ul className="checks">
              {checks
                .toSorted((a, b) => ORDER[a.state] - ORDER[b.state])
                .map(({ name, state, words, do: advice }) => (
                  <li key={name + words}>
                    <Tag tone={CHECKS[state][0]}>{CHECKS[state][1]}</Tag>
                    <div>
                      <b>{name}</b>
                      <p className="muted">{advice ? `${words}: ${advice}` : words}</p>
                    </div>
                  </li>
                ))}
            </ul>
          </Card>
        ) : null}
        <Mail mail={mail} />
        <Webhooks />
      </div>
      <div>
        <Card title="Nodes" about="They run, or ran in the last ten minutes.">
          <Entries>
            {nodes.map((node) => (
              <Entry key={node.id} icon={<Icon icon="desktop" />} name={node.host || node.id}>
                {node.host ? <code>{node.id}</code> : null}
              </Entry>
            ))}
          </Entries>
        </Card>
        <Card title="Signing keys">
          <Entries>
            {signing_keys.map((key) => (
              <Entry key={key.id} icon={<Icon icon="key" />} name={key.id} badge={<Tag>{key.state}</Tag>}>
                <span>{key.algorithm}</span>
                <span>
                  signs from <Time at={key.signs_at} />
                </span>
              </Entry>
            ))}
          </Entries>
        </Card>
        <Card title="Version">
          <p>
            Portico {version} <code>{commit}</code>
          </p>
          <p className="muted">
            <code>portico licenses</code> prints the licenses of its parts.
          </p>
        </Card>
      </div>
    </div>
  );
}

function Mail({ mail: { messages, more } }: Pick<System, 'mail'>) {
  const { ask } = useAsk();
  const dead = messages.filter(({ state }) => state === 'given up').length;
  const waiting = messages.length - dead;
  const about = `${waiting} ${waiting === 1 ? 'waits' : 'wait'}, ${dead} ${dead === 1 ? 'was' : 'were'} given up${more ? `, and ${orMore(more, 1000)} more ${more === 1 ? 'is' : 'are'} not listed` : ''}.`;
  return (
    <Card title="Emails and messages to apps" {...(messages.length ? { about } : {})}>
      {messages.length ? (
        <Entries>
          {messages.map(({ id, template, to, state, answer, asked_at, again }) => (
            <Entry
              key={id}
              icon={<Icon icon="mail" />}
              name={to}
              badge={<MailState state={state} />}
              action={
                again ? (
                  <Small
                    label={`Send again: ${mailWords(template)} to ${to}`}
                    onClick={() =>
                      ask({
                        title: `Send “${mailWords(template)}” again?`,
                        says: `It is sent to ${to} once more.`,
                        press: 'Send again',
                        run: async () => {
                          await change('POST', `system/mail/${encodeURIComponent(id)}/again`);
                          return 'It is on its way.';
                        },
                      })
                    }
                  >
                    Send again
                  </Small>
                ) : null
              }
            >
              <span>{mailWords(template)}</span>
              <span>
                <Time at={asked_at} />
              </span>
              <Said answer={answer} />
            </Entry>
          ))}
        </Entries>
      ) : (
        <Empty>Nothing waits.</Empty>
      )}
    </Card>
  );
}
