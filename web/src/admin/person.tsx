import { useQuery } from '@tanstack/react-query';
import { actionsFor, edit, editClaims, liftLimits, nameOf } from './actions';
import { personId } from './address';
import { useAsk } from './ask';
import { boot } from './boot';
import { Actions } from './menu';
import { Card, Loaded, Roles, Seen, Small, StateTag, Time } from './parts';
import { Apps, Emails, Said, Ways, Where } from './person-lists';
import { Head } from './shell';
import { Timeline } from './timeline';
import type { Person } from './types';
import { mailFailed, sentence, UNSET } from './words';

/** The page of one person. */
export function Place() {
  const person = useQuery<Person>({ queryKey: [`people/${personId}`] });
  return (
    <>
      <nav className="back" aria-label="Back">
        <a href="/auth/admin/people">‹ People</a>
      </nav>
      {person.data ? null : <Head title="Person" />}
      <Loaded query={person} lines={12}>
        {(data) => <Whole person={data} />}
      </Loaded>
    </>
  );
}

function Whole({ person }: { person: Person }) {
  const { ask } = useAsk();
  return (
    <>
      <Head
        title={nameOf(person)}
        badge={<StateTag of={person} />}
        actions={
          <>
            <Small onClick={() => ask(edit(person))}>Edit</Small>
            <Actions of={nameOf(person)} words="Actions" items={actionsFor(person, ask)} />
          </>
        }
      >
        <bdi>{person.address}</bdi>
      </Head>
      <InTheWay person={person} />
      <div className="columns">
        <div>
          <Timeline of={person} />
          <Emails person={person} />
        </div>
        <div>
          <Facts person={person} />
          <Claims person={person} />
          <Ways person={person} />
          <Where person={person} />
          <Apps person={person} />
          <Refusing person={person} />
        </div>
      </div>
    </>
  );
}

/** Reasons why this person cannot sign in now, or gets no email. */
function reasonsOf({
  unproven,
  state,
  erased_at,
  ends_at,
  limits,
  emails,
  password,
  passkeys,
  providers,
}: Person) {
  const reasons: [key: string, words: React.ReactNode][] = [];
  const ended = ends_at && new Date(ends_at) < new Date();
  if (state === 'waiting')
    reasons.push(['state', 'The account waits for an approval. Until then, nobody can sign in to it.']);
  if (state === 'disabled')
    reasons.push([
      'state',
      `The account is disabled${erased_at ? ', and is being deleted' : ''}. Nobody can sign in to it.`,
    ]);
  if (state === 'leaving')
    reasons.push(['state', 'The account is being deleted. Its owner can sign in to keep it.']);
  if (ended)
    reasons.push([
      'end',
      <>
        The account has ended <Time at={ends_at} />.
      </>,
    ]);
  for (const { name, words, ends_at: end } of limits.filter((limit) => limit.refuses))
    reasons.push([
      name,
      <>
        A limit {words} until <Time at={end} />.
      </>,
    ]);
  const [last] = emails;
  if (last && mailFailed(last.state))
    reasons.push([
      'email',
      <>
        The last email, <Time at={last.asked_at} />, was not delivered ({last.state})
        {last.answer ? (
          <>
            : <Said answer={last.answer} />
          </>
        ) : null}
      </>,
    ]);
  if (ended || /disabled|waiting/.test(state)) return reasons; // the others say what still works
  if (unproven)
    reasons.push([
      'unproven',
      'Nobody has proven the address since the import. The next sign-in asks for an emailed code.',
    ]);
  if (!password && !passkeys.length && !providers.length)
    reasons.push([
      'ways',
      'The account has no password, no passkey and no provider. An emailed code or a link still works.',
    ]);
  return reasons;
}

function InTheWay({ person }: { person: Person }) {
  const { ask } = useAsk();
  const reasons = reasonsOf(person);
  if (!reasons.length) return null;
  return (
    <div className="in-the-way">
      <Card
        title="Why sign-in may fail"
        action={
          person.limits.some(({ refuses }) => refuses) ? (
            <Small onClick={() => ask(liftLimits(person))}>Lift the limits</Small>
          ) : null
        }
      >
        <ul>
          {reasons.map(([key, words]) => (
            <li key={key}>{words}</li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

/** What an address that is not the primary one is for, as account.Use has it. */
export const USES: Record<string, string> = {
  recovery: 'for recovery',
  other: 'other address',
  former: 'former address, kept for its owner',
  removed: 'removed address, kept for its owner',
};

/** What apps get about the person, as the settings name it. */
function Claims({ person }: { person: Person }) {
  const { ask } = useAsk();
  const { claims } = person;
  return (
    <Card
      title="Claims for apps"
      action={
        <Small label={`Change the claims of ${nameOf(person)}`} onClick={() => ask(editClaims(person))}>
          Change
        </Small>
      }
    >
      {claims ? <pre>{claims}</pre> : <p className="muted">None</p>}
    </Card>
  );
}

/** The rules of apps that refuse this account. Most accounts lack some role, so that is no trouble of the sign-in. */
function Refusing({ person: { refusing } }: { person: Person }) {
  if (!refusing.length) return null;
  return (
    <Card title="Needs a role" about="The rules of these apps ask for a role that the account does not have.">
      <ul className="lines">
        {refusing.map(({ of, rule, source }) => (
          <li key={of + rule}>
            {sentence(of)}: <code>{rule}</code>{' '}
            {source === UNSET ? null : <span className="muted">{source}</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Facts({ person }: { person: Person }) {
  const { roles, created_at, seen_at, ends_at, erased_at, addresses } = person;
  const facts: [string, React.ReactNode][] = [
    ['Roles', roles.length ? <Roles key="roles" of={person} /> : 'None'],
    ['Last seen', <Seen key="time" at={seen_at} />],
    ['Created', <Time key="time" at={created_at} />],
    ['Account ends', <Time key="time" at={ends_at} />],
    ['Id', <code key="id">{person.id}</code>],
  ];
  if (erased_at) facts.unshift(['To be erased', <Time key="time" at={erased_at} />]);
  return (
    <Card title="Account">
      <dl>
        {facts.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {person.id === boot.user.id ? (
        <p className="note">
          This is you. Another administrator must do what could lock you out, so one always remains.
        </p>
      ) : null}
      {addresses.length ? (
        <ul className="lines">
          {addresses.map(({ address, use }) => (
            <li key={address}>
              <bdi>{address}</bdi> <span className="muted">{USES[use] ?? use}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </Card>
  );
}
