import type { ReactNode } from 'react';
import { Badge, Empty, Entries, Entry, Icon } from '../screens/own/entry';
import { change } from './api';
import { useAsk } from './ask';
import { Card, Small, Tag, Time } from './parts';
import type { Person } from './types';
import { mailFailed, mailWords, methodWords, reasonOf, sentence } from './words';

const At = ({ before, at }: { before: string; at: string | undefined }) => (
  <span>
    {before} <Time at={at} />
  </span>
);

/** The sessions, the browsers that are asked for no second factor, and the tokens of scripts. */
export function Where({ person: { sessions, browsers, tokens } }: { person: Person }) {
  return (
    <>
      <Card title="Sessions">
        {sessions.length ? (
          <Entries>
            {sessions.map(({ id, browser, network, place, methods, seen_at, current }) => (
              <Entry
                key={id}
                icon={<Icon icon={/Android|iPhone/.test(browser) ? 'phone' : 'desktop'} />}
                name={browser || 'Unknown browser'}
                badge={current ? <Badge>This is you</Badge> : null}
              >
                <span>{network}</span>
                {place ? <span>{place}</span> : null}
                <span>{methods.map(methodWords).join(', ')}</span>
                <At before="seen" at={seen_at} />
              </Entry>
            ))}
          </Entries>
        ) : (
          <Empty>Signed in nowhere.</Empty>
        )}
      </Card>
      {browsers.length ? (
        <Card title="Trusted browsers" about="They are asked for no second factor.">
          <Entries>
            {browsers.map(({ id, browser, ends_at }) => (
              <Entry key={id} icon={<Icon icon="window" />} name={browser || 'Unknown browser'}>
                <At before="until" at={ends_at} />
              </Entry>
            ))}
          </Entries>
        </Card>
      ) : null}
      {tokens.length ? (
        <Card title="Access tokens" about="Scripts use an app with them. They end with all sessions.">
          <Entries>
            {tokens.map(({ id, name, app, roles, used_at, ends_at }) => (
              <Entry key={id} icon={<Icon icon="key" />} name={name}>
                <span>For {app}</span>
                {roles.length ? <span>{roles.join(', ')}</span> : null}
                {used_at ? <At before="used" at={used_at} /> : null}
                <At before="until" at={ends_at} />
              </Entry>
            ))}
          </Entries>
        </Card>
      ) : null}
    </>
  );
}

/** The ways to sign in. No secret of them is known here. */
export function Ways({ person }: { person: Person }) {
  const { password, factors, passkeys, providers, recovery_codes } = person;
  const way = (icon: 'key' | 'phone', key: string, name: string, kind: string, at: string, used?: string) => (
    <Entry key={key} icon={<Icon icon={icon} />} name={name || kind}>
      {name && name !== kind ? <span>{kind}</span> : null}
      <At before="added" at={at} />
      <At before="used" at={used} />
    </Entry>
  );
  const all: ReactNode[] = [
    ...passkeys.map((it) => way('key', it.id, it.name, 'Passkey', it.created_at, it.used_at)),
    ...factors.map((it) => way('phone', it.id, it.name, 'Authenticator app', it.created_at, it.used_at)),
    ...providers.map(({ id, name, subject, created_at }) => (
      <Entry key={id} icon={<Icon icon="link" />} name={name}>
        <span>{subject}</span>
        <At before="connected" at={created_at} />
      </Entry>
    )),
  ];
  return (
    <Card title="Ways to sign in">
      <p className="tags">
        <Tag tone={password ? 'good' : 'plain'}>{password ? 'Password' : 'No password'}</Tag>
        {factors.length || passkeys.length ? null : <Tag tone="warn">No second factor</Tag>}
        {recovery_codes ? <Tag>{recovery_codes} recovery codes left</Tag> : null}
      </p>
      {all.length ? <Entries>{all}</Entries> : null}
    </Card>
  );
}

/** Apps that the person has signed in to, and what they may read. */
export function Apps({ person: { apps } }: { person: Person }) {
  if (!apps.length) return null;
  return (
    <Card title="Apps">
      <Entries>
        {apps.map(({ id, name, scopes, created_at }) => (
          <Entry key={id} icon={<Icon icon="app" />} name={name}>
            <span>{scopes.join(' ')}</span>
            <At before="since" at={created_at} />
          </Entry>
        ))}
      </Entries>
    </Card>
  );
}

export function MailState({ state }: { state: string }) {
  const tone = /accepted/.test(state) ? 'good' : mailFailed(state) ? 'bad' : 'plain';
  return <Tag tone={tone}>{sentence(state)}</Tag>;
}

/** What a mail server has said, or a short reason why it said nothing, with all words. */
export function Said({ answer }: { answer: string }) {
  const reason = reasonOf(answer);
  return (
    <>
      {reason ? (
        <>
          <span>{reason}</span>{' '}
        </>
      ) : null}
      {answer ? <q>{answer}</q> : null}
    </>
  );
}

/** The emails to the person, with what the mail server has said. */
export function Emails({ person: { id, emails } }: { person: Person }) {
  const { ask } = useAsk();
  const again = (email: string, name: string) =>
    ask({
      title: `Send “${name}” again?`,
      says: 'The same email is handed to the mail server once more. A code or a link in it keeps its end.',
      press: 'Send again',
      run: async () => {
        await change('POST', `people/${encodeURIComponent(id)}/emails/${encodeURIComponent(email)}/again`);
        return 'The email is on its way.';
      },
    });
  return (
    <Card title="Emails">
      {emails.length ? (
        <Entries>
          {emails.map((email) => {
            const name = mailWords(email.template);
            return (
              <Entry
                key={email.id}
                icon={<Icon icon="mail" />}
                name={name}
                badge={<MailState state={email.state} />}
                action={
                  email.again ? (
                    <Small label={`Send again: ${name}`} onClick={() => again(email.id, name)}>
                      Send again
                    </Small>
                  ) : null
                }
              >
                <At before="asked for" at={email.asked_at} />
                <Said answer={email.answer} />
              </Entry>
            );
          })}
        </Entries>
      ) : (
        <Empty>No email was sent to this person lately.</Empty>
      )}
    </Card>
  );
}
