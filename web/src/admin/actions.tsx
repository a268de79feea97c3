import { change, Partly } from './api';
import type { Question } from './ask';
import { boot } from './boot';
import { dateOf, endField, midnightOf } from './days';
import type { Item } from './menu';
import { shortly } from './parts';
import type { Row } from './types';
import { ADMIN, RESIGNS, rolesIn } from './words';

/** What an action needs to know about a person. */
type Of = Pick<Row, 'id' | 'address' | 'name' | 'state' | 'roles' | 'erased_at'>;

export const nameOf = ({ name, address }: Pick<Row, 'name' | 'address'>) => name || address;

const ofAdmin = ({ roles }: Of, words: string) => (roles.includes(ADMIN) ? ` ${words} ${RESIGNS}` : '');

const to = (person: Of, action: string) => `people/${encodeURIComponent(person.id)}/${action}`;

const post = (person: Of, action: string, done: string) => async () => {
  await change('POST', to(person, action), {});
  return done;
};

const endSessions = (p: Of): Question => ({
  title: `Sign ${nameOf(p)} out everywhere?`,
  says: 'All sessions end at once, in all browsers and apps. Signing in again works as before.',
  press: 'Sign out everywhere',
  danger: true,
  run: post(p, 'end-sessions', `${nameOf(p)} is signed out everywhere.`),
});

const disable = (p: Of): Question => ({
  title: `Disable the account of ${nameOf(p)}?`,
  says: `All sessions end at once, and nobody can sign in to the account until it is enabled again. Nothing is deleted. An email says so.${ofAdmin(p, 'This')}`,
  press: 'Disable',
  danger: true,
  run: post(p, 'disable', `The account of ${nameOf(p)} is disabled.`),
});

const enable = (p: Of): Question => ({
  title: `Enable the account of ${nameOf(p)}?`,
  says: 'Signing in works again, as it did before, and an end that has come is taken away. An email says so.',
  press: 'Enable',
  run: post(p, 'enable', `The account of ${nameOf(p)} is enabled.`),
});

const approve = (p: Of): Question => ({
  title: `Approve the account of ${nameOf(p)}?`,
  says: 'Signing in works from now on, and an end that has come is taken away. An email says so.',
  press: 'Approve',
  run: post(p, 'enable', `The account of ${nameOf(p)} is approved.`),
});

const refuse = (p: Of): Question => ({
  title: `Refuse the account of ${nameOf(p)}?`,
  says: 'The account is deleted at once, and an email says so.',
  press: 'Refuse',
  danger: true,
  run: post(p, 'refuse', `The account of ${nameOf(p)} is refused.`),
});

const restore = (p: Of): Question => ({
  title: `Keep the account of ${nameOf(p)}?`,
  says: 'The deletion is undone, and the account is as before. It stays closed if it was, or if its end has come.',
  press: 'Keep the account',
  run: post(p, 'restore', `The account of ${nameOf(p)} stays.`),
});

const resetFactors = (p: Of): Question => ({
  title: `Remove the second factors of ${nameOf(p)}?`,
  says: 'Authenticator apps, passkeys and recovery codes go, and trusted browsers are forgotten. All sessions end. Make sure that it is really this person who asks: whoever has the mailbox can sign in afterward.',
  press: 'Remove second factors',
  danger: true,
  run: post(p, 'reset-factors', `The second factors of ${nameOf(p)} are removed.`),
});

export const liftLimits = (p: Of): Question => ({
  title: `Lift the limits of ${nameOf(p)}?`,
  says: 'Counts of wrong passwords, codes and requested emails begin again at zero. Do this if the person has locked themselves out.',
  press: 'Lift the limits',
  run: post(p, 'lift-limits', `The limits of ${nameOf(p)} are lifted.`),
});

const link = (p: Of): Question => ({
  title: `Mail ${nameOf(p)} a link to get in?`,
  says: `The link goes to ${p.address}, works once, and leads to a new way to sign in. Nobody but its reader sees it.`,
  press: 'Send the link',
  run: async () => {
    const { until } = await change<{ until: string }>('POST', to(p, 'link'), {});
    return `A link was sent to ${p.address}, valid until ${shortly(until)}.`;
  },
});

const remove = (p: Of): Question => ({
  title: `Delete the account of ${nameOf(p)}?`,
  says: `All sessions end, and nobody can sign in. After 14 days the account is erased with its addresses, factors, passkeys, sessions and connections. Until then you can undo this here.${ofAdmin(p, 'But it')}`,
  press: 'Delete the account',
  danger: true,
  typed: p.address,
  run: async () => {
    const { until } = await change<{ until: string }>('POST', to(p, 'delete'), { email: p.address });
    return `The account of ${nameOf(p)} is being deleted. You can undo it until ${shortly(until)}.`;
  },
});

/** Everything that can be done to a person, in the order of the menu. Others do to an administrator what locks them out. */
export function actionsFor(person: Of, ask: (question: Question) => void): Item[] {
  const { id, state, erased_at } = person;
  const other = id !== boot.user.id;
  const item = (label: string, question: Question, shown = true): Item[] =>
    shown ? [{ label, danger: question.danger ?? false, run: () => ask(question) }] : [];
  return [
    ...item('Approve', approve(person), state === 'waiting'),
    ...item('Refuse', refuse(person), state === 'waiting'),
    ...item('Mail a link to get in', link(person), other && state !== 'waiting'),
    ...item('Lift the limits', liftLimits(person)),
    ...item('Enable', enable(person), state === 'disabled' && !erased_at),
    ...item('Undo the deletion', restore(person), Boolean(erased_at)),
    ...item('Sign out everywhere', endSessions(person)),
    ...item('Remove second factors', resetFactors(person), other),
    ...item('Disable', disable(person), other && state === 'active'),
    ...item('Delete', remove(person), other && !erased_at),
  ];
}

/** The window that edits the claims of an account. A refused text stays in it. */
export const editClaims = (p: Of & { claims: string }): Question => ({
  title: `Change the claims of ${nameOf(p)}`,
  says: 'One JSON object of at most 4 KiB. The setting extra_claims says which app gets what of it. An email says that it was changed.',
  press: 'Save',
  fields: [{ name: 'claims', label: 'JSON object', type: 'lines', value: p.claims }],
  run: async (values) => {
    const claims = String(values.get('claims'));
    if (claims === p.claims) return 'Nothing was changed.';
    await change('POST', to(p, 'claims'), { claims, before: p.claims || '{}' });
    return `The claims of ${nameOf(p)} are saved.`;
  },
});

const ENDS = 'From this day on the account is closed and signed out everywhere. Empty means never.';

/** The window that edits the name, the primary address, the roles and the end of an account. */
export const edit = (p: Edited): Question => ({
  title: `Edit ${nameOf(p)}`,
  says: ofAdmin(p, `Taking the role ${ADMIN}`),
  press: 'Save',
  fields: [
    { name: 'name', label: 'Name', value: p.name },
    {
      name: 'address',
      label: 'Primary address',
      type: 'email',
      value: p.address,
      required: true,
      hint: 'A new address counts as proven, ends all sessions, and is told to both mailboxes.',
    },
    {
      name: 'roles',
      label: 'Roles',
      value: p.roles.join(', '),
      hint: 'Separated by commas. The role portico:admin makes an administrator.',
    },
    ...(p.ends_at === undefined ? [] : [endField('End of the account', ENDS, { value: dateOf(p.ends_at) })]),
  ],
  run: saving(p),
});

type Edited = Of & { ends_at?: string };

/** Sends the changes one after another. After a refusal the window stays, and the next press sends the rest. */
function saving(p: Edited) {
  let now = p;
  const saved: string[] = [];
  return async (values: FormData) => {
    for (const { action, words, body, then } of changesOf(now, values)) {
      try {
        await change('POST', to(p, action), body);
      } catch (failed) {
        throw saved.length ? new Partly(`Saved: ${saved.join(', ')}. Not saved: ${words}.`, failed) : failed;
      }
      now = { ...now, ...then };
      saved.push(words);
    }
    return saved.length ? 'The changes are saved.' : 'Nothing was changed.';
  };
}

/** Only what is different: a field that another administrator changes meanwhile stays theirs. */
function changesOf(p: Edited, values: FormData) {
  const text = (name: string) => String(values.get(name) ?? '').trim();
  const [name, address, day] = [text('name'), text('address'), text('ends_at')];
  const roles = rolesIn(text('roles'));
  const give = roles.filter((role) => !p.roles.includes(role));
  const take = p.roles.filter((role) => !roles.includes(role));
  const at = midnightOf(day);
  const changed = (action: string, words: string, body: object, then: Partial<Edited>, differs: boolean) =>
    differs ? [{ action, words, body, then }] : [];
  const ends = p.ends_at !== undefined && day !== dateOf(p.ends_at);
  return [
    ...changed('name', 'the name', { name }, { name }, name !== p.name),
    ...changed('address', 'the primary address', { email: address }, { address }, address !== p.address),
    ...changed('roles', 'the roles', { give, take }, { roles }, give.length + take.length > 0),
    ...changed('ends', 'the end of the account', { at }, { ends_at: at }, ends),
  ];
}
