import { useQuery } from '@tanstack/react-query';
import { change, send } from './api';
import { type Question, useAsk } from './ask';
import { Card, Copy, Loaded, Small, Tag, Time } from './parts';
import { Head } from './shell';
import type { Explained, ListedApp } from './types';
import { UNSET } from './words';

const KINDS = {
  app: 'App behind Portico',
  client: 'OpenID client',
  registered: 'Has registered itself',
} as const;

const to = ({ id }: ListedApp, action: string) => `apps/${encodeURIComponent(id)}/${action}`;

const explain = (app: ListedApp): Question => ({
  title: `What does ${app.name} get for a person?`,
  press: 'Explain',
  fields: [
    { name: 'person', label: 'Address of the person', type: 'email', required: true },
    ...(app.kind === 'app'
      ? [{ name: 'url', label: 'URL', hint: 'The rule that decides about it. Empty means all rules.' }]
      : []),
  ],
  run: async (values) => {
    const asked = new URLSearchParams();
    for (const name of ['person', 'url']) {
      const value = String(values.get(name) ?? '').trim();
      if (value) asked.set(name, value);
    }
    const answer = await send<Explained>('GET', `${to(app, 'explain')}?${asked}`);
    return { next: explained(app, asked.get('person') ?? '', answer) };
  },
});

const explained = (app: ListedApp, person: string, { allowed, words, claims }: Explained): Question => ({
  title: `${app.name} and ${person}`,
  press: 'Explain another',
  says: (
    <>
      <p>
        <Tag tone={allowed ? 'good' : 'bad'}>{allowed ? 'May open it' : 'May not open it'}</Tag>
      </p>
      <ul className="lines">
        {words.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p>{allowed ? 'The app gets these claims:' : 'The app would get these claims:'}</p>
      <pre>{claims}</pre>
    </>
  ),
  run: async () => ({ next: explain(app) }),
});

const remove = (app: ListedApp): Question => ({
  title: `Delete the client ${app.name}?`,
  says: 'All of its tokens end, and it has to register again.',
  press: 'Delete the client',
  danger: true,
  run: async () => {
    await change('POST', to(app, 'delete'), {});
    return `The client ${app.name} is deleted.`;
  },
});

/** The apps and the OpenID clients of the settings, and those that have registered themselves. */
export function Place() {
  const apps = useQuery<{ apps: ListedApp[] }>({ queryKey: ['apps'] });
  return (
    <>
      <Head title="Apps">
        The settings file says which apps exist and who may open them. This page shows it, and changes none of
        it.
      </Head>
      <Loaded query={apps}>
        {({ apps: all }) => (all.length ? all.map((app) => <One key={app.id} {...app} />) : <None />)}
      </Loaded>
    </>
  );
}

const FIRST = `[[client]]
id            = "wiki"
secret_file   = "/etc/portico/wiki.secret"
redirect_uris = ["https://wiki.example.com/callback"]
`;

const None = () => (
  <div className="card none">
    <h2>No apps</h2>
    <p>
      Set <code>upstream</code> for an app behind Portico. For an OpenID client, paste this into the settings,
      or let <code>portico client create</code> write it.
    </p>
    <pre>{FIRST}</pre>
    <Copy of="the example" text={FIRST} />
  </div>
);

function One(app: ListedApp) {
  const { name, kind, addresses, rules, claims, source, block, created_at, ends_at } = app;
  const { ask } = useAsk();
  return (
    <Card
      title={name}
      action={
        <span className="head-actions">
          <Small label={`Explain ${name} for a person`} onClick={() => ask(explain(app))}>
            Explain
          </Small>
          {kind === 'registered' ? (
            <Small label={`Delete ${name}`} onClick={() => ask(remove(app))}>
              Delete
            </Small>
          ) : null}
        </span>
      }
    >
      <p className="tags">
        <Tag>{KINDS[kind]}</Tag>
        {addresses.map((address) => (
          <bdi key={address} className="muted">
            {address}
          </bdi>
        ))}
      </p>
      {created_at ? (
        <p className="muted">
          Registered <Time at={created_at} />, ends <Time at={ends_at} /> unless it is used before.
        </p>
      ) : null}
      <ul className="lines">
        {rules.length ? null : <li>Every user may open it.</li>}
        {[...rules, ...claims].map((line) => (
          <li key={line}>
            <code>{line}</code>
          </li>
        ))}
      </ul>
      <details>
        <summary>
          {source === UNSET ? 'Settings' : source ? `Settings, ${source}` : 'Settings for a client like this'}
        </summary>
        <pre>{block}</pre>
        <Copy of={`the block of ${name}`} text={block} />
      </details>
    </Card>
  );
}
