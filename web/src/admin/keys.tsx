import { Button } from '../ui/button';
import { useQueryOf } from './address';
import { change } from './api';
import { type Question, useAsk } from './ask';
import { dateOf, endField, midnightOf } from './days';
import { Actions } from './menu';
import { Once, Tag, Time } from './parts';
import { Head } from './shell';
import { type Column, Table, useRows } from './table';
import type { Key, KeyMade, Keys } from './types';

const DAYS = 90;

/** The end of a key. */
const keyEnds = () =>
  endField(
    'Ends',
    'A day, at most a year away. If it is more than 14 days away, you get an email 14 days before.',
    {
      required: true,
      value: dateOf(new Date(Date.now() + DAYS * 86_400_000).toISOString()),
    },
  );

const endIn = (values: FormData) => midnightOf(String(values.get('ends_at')));

/** Shows the secret of a key, once. */
const shown = ({ key: { name }, secret }: KeyMade): { next: Question } => ({
  next: {
    title: `The secret of ${name}`,
    says: (
      <>
        <p>Copy the secret now. It is not shown again, and Portico keeps only its hash.</p>
        <Once of="the secret" text={secret} />
      </>
    ),
    press: 'I have copied it',
    told: 'once',
    run: async () => `The key ${name} works.`,
  },
});

const create = (scopes: string[]): Question => ({
  title: 'New key',
  says: 'A program can then do this as long as you are an administrator. A key never changes the account of an administrator.',
  press: 'Make the key',
  fields: [
    { name: 'name', label: 'Name', required: true, hint: 'The program that uses it, as in “HR import”.' },
    {
      name: 'scopes',
      label: 'What it may do',
      type: 'checks',
      options: scopes,
      hint: 'With people:write or invitations:write, a program can let people in without an approval.',
    },
    keyEnds(),
  ],
  run: async (values, once) => {
    const key = {
      name: String(values.get('name')),
      scopes: values.getAll('scopes'),
      ends_at: endIn(values),
    };
    return shown(await change<KeyMade>('POST', 'keys', key, once));
  },
});

/** What is asked before a change of one key, and the words after it. */
function actionsOf({ id, name, state, secrets }: Key, ask: (question: Question) => void) {
  if (state === 'ended') return [];
  const path = `keys/${encodeURIComponent(id)}`;
  const rotate: Question = {
    title: `New secret for ${name}`,
    says:
      state === 'stopped'
        ? 'The administrator who answered for the key is no longer one. You answer for the new secret, and the old one ends.'
        : secrets > 1
          ? 'You answer for the new secret. The present one works on until you end it. The old one ends, and with it the invitations that the key has sent since it was made.'
          : 'You answer for the new secret. The present one works on until you end it.',
    press: 'Make a new secret',
    fields: [keyEnds()],
    run: async (values, once) =>
      shown(await change<KeyMade>('POST', `${path}/rotate`, { ends_at: endIn(values) }, once)),
  };
  const endOld: Question = {
    title: `End the old secret of ${name}?`,
    says: 'Programs that still use it are refused at once, and invitations that the key has sent since it was made end. The new secret works on.',
    press: 'End the old secret',
    danger: true,
    run: async () => {
      await change('POST', `${path}/end-old`, {});
      return `The old secret of ${name} has ended.`;
    },
  };
  const end: Question = {
    title: `End the key ${name}?`,
    says: 'Programs that use it are refused at once. Its open invitations, also links already handed out, and its running job end. This cannot be undone.',
    press: 'End the key',
    danger: true,
    run: async () => {
      await change('POST', `${path}/end`, {});
      return `The key ${name} has ended.`;
    },
  };
  return [
    { label: 'New secret', run: () => ask(rotate) },
    ...(secrets > 1 ? [{ label: 'End the old secret', danger: true, run: () => ask(endOld) }] : []),
    { label: 'End the key', danger: true, run: () => ask(end) },
  ];
}

const State = ({ of: { state, secrets } }: { of: Key }) => {
  if (state === 'ended') return <Tag>Ended</Tag>;
  if (state === 'stopped') return <Tag tone="bad">Stopped</Tag>;
  return secrets > 1 ? <Tag tone="warn">Two secrets</Tag> : <Tag tone="good">Works</Tag>;
};

const Used = ({ of: { used_at, network } }: { of: Key }) => (
  <>
    <Time at={used_at} /> {network ? <span className="muted network">from {network}</span> : null}
  </>
);

const columnsFor = (ask: (question: Question) => void): Column<Key>[] => [
  {
    name: 'Key',
    cell: (key) => (
      <div className="who">
        <p className="entry-name">
          <a
            href={`/auth/admin/record?actor=key:${encodeURIComponent(key.id)}`}
            title="What was done with it"
          >
            <bdi>{key.name}</bdi>
          </a>
        </p>
        <p className="tags">
          {key.scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
        </p>
        <p className="narrow">
          <State of={key} />
          <span>
            ends <Time at={key.ends_at} />, used <Used of={key} />
          </span>
        </p>
      </div>
    ),
  },
  { name: 'State', wide: true, cell: (key) => <State of={key} /> },
  { name: 'Ends', wide: true, cell: (key) => <Time at={key.ends_at} /> },
  { name: 'Last used', wide: true, cell: (key) => <Used of={key} /> },
  {
    name: 'Answers for it',
    wide: true,
    cell: (key) => (
      <div className="subject">
        <bdi>{key.owner || 'nobody'}</bdi>
      </div>
    ),
  },
  {
    name: 'Actions',
    quiet: true,
    cell: (key) => {
      const items = actionsOf(key, ask);
      return items.length ? <Actions of={key.name} items={items} /> : null;
    },
  },
];

/** The keys with which programs use the API of administration. */
export function Place() {
  const { ask } = useAsk();
  const after = useQueryOf().get('after') ?? '';
  const keys = useRows<Keys>(after ? `keys?${new URLSearchParams({ after })}` : 'keys', (page) => page.keys);
  // A press before the list is there waits for its scopes.
  const make = async () => {
    const { data } = keys.data ? keys : await keys.refetch();
    if (data) ask(create(data.scopes));
  };
  return (
    <>
      <Head
        title="Keys"
        actions={
          <Button type="button" onClick={make}>
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
            <p>Make a key for a program that lists, changes or disables people, such as an import from HR.</p>
          </>
        }
      />
    </>
  );
}
