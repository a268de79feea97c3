import { useQuery } from '@tanstack/react-query';
import { change, send } from './api';
import { type Question, useAsk } from './ask';
import { Card, Copy, Loaded, Small, Tag, Time } from './parts';
import { Head } from './shell';
import type { App } from './types';

const KINDS = { app: 'App behind Portico', client: 'OpenID client', registered: 'Registered client' };

const explain = ({ id, name }: App): Question => ({
  title: `What does ${name} get for a person?`,
  press: 'Explain',
  fields: [{ name: 'person', label: 'Address of the person', type: 'email', required: true }],
  run: async (values) => {
    const person = encodeURIComponent(String(values.get('person')).trim());
    const path = `apps/${encodeURIComponent(id)}/explain?person=${person}`;
    const { allowed, words, claims } = await send<{ allowed: boolean; words: string[]; claims?: object }>(
      'GET',
      path,
    );
    return {
      shown: (
        <>
          <p>
            <Tag tone={allowed ? 'good' : 'bad'}>{allowed ? 'May open it' : 'May not open it'}</Tag>
          </p>
          <ul className="lines">
            {words.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          {claims ? <pre>{JSON.stringify(claims, null, 2)}</pre> : null}
        </>
      ),
    };
  },
});

const remove = ({ id, name }: App): Question => ({
  title: `Delete the client ${name}?`,
  says: 'Everybody who uses it is signed out of it, and it has to register again.',
  press: 'Delete the client',
  danger: true,
  run: async () => {
    await change('DELETE', `apps/${encodeURIComponent(id)}`);
    return `The client ${name} is deleted.`;
  },
});

/** The apps and the OpenID clients of the settings, and those that have registered themselves. */
export function Place() {
  const apps = useQuery<{ apps: App[] }>({ queryKey: ['apps'] });
  return (
    <>
      <Head title="Apps">
        The settings file says which apps exist and who may open them. This page shows it.
      </Head>
      <Loaded query={apps}>
        {({ apps: all }) =>
          all.length ? (
            all.map((app) => <One key={app.kind + app.id} {...app} />)
          ) : (
            <div className="card none">
              <h2>No apps</h2>
              <p>
                Set <code>upstream</code> for an app behind Portico, or add a <code>[[client]]</code> with{' '}
                <code>portico client create</code>.
              </p>
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function One(app: App) {
  const { name, id, kind, address, rules, source, block, created_at } = app;
  const { ask } = useAsk();
  return (
    <Card
      title={name || id}
      action={
        <span className="head-actions">
          <Small label={`Explain ${name || id} for a person`} onClick={() => ask(explain(app))}>
            Explain
          </Small>
          {kind === 'registered' ? (
            <Small danger label={`Delete ${name || id}`} onClick={() => ask(remove(app))}>
              Delete
            </Small>
          ) : null}
        </span>
      }
    >
      <p className="tags">
        <Tag>{KINDS[kind]}</Tag>
        <bdi className="muted">{address}</bdi>
        {created_at ? (
          <span className="muted">
            since <Time at={created_at} />
          </span>
        ) : null}
      </p>
      {rules.length ? (
        <ul className="lines">
          {rules.map((rule) => (
            <li key={rule}>
              <code>{rule}</code>
            </li>
          ))}
        </ul>
      ) : null}
      {block ? (
        <details>
          <summary>Block of the settings{source ? `, ${source}` : ''}</summary>
          <pre>{block}</pre>
          <Copy text={block} label={`Copy the block of ${name || id}`} />
        </details>
      ) : null}
    </Card>
  );
}
