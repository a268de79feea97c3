import { useQuery } from '@tanstack/react-query';
import { Button } from '../ui/button';
import { change } from './api';
import { type Question, useAsk } from './ask';
import { Actions } from './menu';
import { Copy, Tag, Time } from './parts';
import { Head } from './shell';
import { type Column, Table } from './table';
import type { Key } from './types';

interface Keys {
  keys: Key[];
  scopes: string[];
}

const DAYS = 90;

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The secret of a key, once. */
const Secret = ({ secret }: { secret: string }) => (
  <>
    <p className="ask-says">Copy the secret now. It is not shown again, and Portico keeps only its hash.</p>
    <p className="secret">
      <code>{secret}</code>
      <Copy text={secret} label="Copy the secret" />
    </p>
  </>
);

const create = (scopes: string[]): Question => ({
  title: 'New key',
  press: 'Make the key',
  fields: [
    { name: 'name', label: 'Name', required: true, hint: 'The program that uses it, as in “HR import”.' },
    { name: 'scopes', label: 'What it may do', type: 'checks', options: scopes },
    { name: 'ends_at', label: 'Ends', type: 'date', required: true, value: inDays(DAYS) },
  ],
  run: async (values) => {
    const { secret } = await change<{ secret: string }>('POST', 'keys', {
      name: String(values.get('name')).trim(),
      scopes: values.getAll('scopes').map(String),
      ends_at: `${values.get('ends_at')}T00:00:00Z`,
    });
    return { shown: <Secret secret={secret} /> };
  },
});

const rotate = ({ id, name }: Key): Question => ({
  title: `Make a new secret for ${name}?`,
  says: 'The old secret works on beside the new one, until you end it here. The end of the key stays.',
  press: 'Make a new secret',
  run: async () => {
    const { secret } = await change<{ secret: string }>('POST', `keys/${encodeURIComponent(id)}/rotate`);
    return { shown: <Secret secret={secret} /> };
  },
});

const endOld = ({ id, name }: Key): Question => ({
  title: `End the old secret of ${name}?`,
  says: 'Programs that still use the old secret are refused at once.',
  press: 'End the old secret',
  danger: true,
  run: async () => {
    await change('POST', `keys/${encodeURIComponent(id)}/end-old`);
    return `The old secret of ${name} has ended.`;
  },
});

const remove = ({ id, name }: Key): Question => ({
  title: `Delete the key ${name}?`,
  says: 'Programs that use it are refused at once. This cannot be undone.',
  press: 'Delete the key',
  danger: true,
  run: async () => {
    await change('DELETE', `keys/${encodeURIComponent(id)}`);
    return `The key ${name} is deleted.`;
  },
});

const columnsFor = (ask: (question: Question) => void): Column<Key>[] => [
  {
    name: 'Key',
    cell: (key) => (
      <div className="who">
        <p className="entry-name">
          <bdi>{key.name}</bdi>
          {key.secrets > 1 ? <Tag tone="warn">Two secrets</Tag> : null}
          {new Date(key.ends_at) < new Date() ? <Tag tone="bad">Ended</Tag> : null}
        </p>
        <p className="tags">
          {key.scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
        </p>
        <p className="narrow">
          <span>
            ends <Time at={key.ends_at} />, used <Time at={key.used_at} />
          </span>
        </p>
      </div>
    ),
  },
  { name: 'Ends', wide: true, cell: (key) => <Time at={key.ends_at} /> },
  {
    name: 'Last used',
    wide: true,
    cell: (key) => (
      <>
        <Time at={key.used_at} /> <span className="muted">{key.network}</span>
      </>
    ),
  },
  { name: 'Made by', wide: true, cell: (key) => <bdi>{key.by}</bdi> },
  {
    name: 'Actions',
    quiet: true,
    cell: (key) => (
      <Actions
        of={key.name}
        items={[
          { label: 'New secret', run: () => ask(rotate(key)) },
          ...(key.secrets > 1
            ? [{ label: 'End the old secret', danger: true, run: () => ask(endOld(key)) }]
            : []),
          { label: 'Delete', danger: true, run: () => ask(remove(key)) },
        ]}
      />
    ),
  },
];

/** The keys of the API. */
export function Place() {
  const { ask } = useAsk();
  const keys = useQuery<Keys>({ queryKey: ['keys'] });
  return (
    <>
      <Head
        title="Keys"
        actions={
          <Button type="button" onClick={() => ask(create(keys.data?.scopes ?? []))}>
            New key
          </Button>
        }
      >
        A key lets a program use the API of administration. It can never make, widen or prolong a key.
      </Head>
      <Table
        label="keys"
        query={keys}
        rowsOf={(answer) => answer.keys}
        keyOf={(key) => key.id}
        columns={columnsFor(ask)}
        empty={
          <>
            <h2>No keys</h2>
            <p>Make a key for a program that invites, disables or lists people, such as an import from HR.</p>
          </>
        }
      />
    </>
  );
}
