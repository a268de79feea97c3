import { change, send } from './api';
import type { Question } from './ask';
import { endField, midnightOf } from './days';
import { Once, Tag } from './parts';
import type { Invitation, Line } from './types';
import { counted, rolesIn } from './words';

const VERDICTS: Record<Line['verdict'], string> = {
  ok: 'will be invited',
  malformed: 'is not an address',
  exists: 'has an account',
  invited: 'is invited already',
  twice: 'is in the list twice',
  domain: 'has a domain that may not sign up',
  held: 'got five emails from administrators in an hour, or twenty in a day',
  unsent: 'was not sent',
};

/** What happens to each line. What is not invited comes first, because somebody must look at it. */
const Judged = ({ lines }: { lines: Line[] }) => (
  <ul className="judged">
    {lines
      .toSorted((a, b) => Number(a.verdict === 'ok') - Number(b.verdict === 'ok'))
      .map(({ line, address, verdict }) => (
        <li key={`${line} ${address}`}>
          <span>
            <bdi>{address}</bdi> <span className="muted">line {line}</span>
          </span>
          <Tag tone={verdict === 'ok' ? 'good' : 'warn'}>{VERDICTS[verdict]}</Tag>
        </li>
      ))}
  </ul>
);

const typed = (values: FormData, name: string) => String(values.get(name) ?? '').trim();

const drawn = (values: FormData) => ({
  roles: rolesIn(typed(values, 'roles')),
  account_ends_at: midnightOf(typed(values, 'account_ends_at')),
});

const invited = (lines: Line[]) => {
  const count = lines.filter(({ verdict }) => verdict === 'ok').length;
  return count && counted(count, 'invitation', 'invitations');
};

function sending(lines: Line[], body: object, back: Question): Question {
  const count = invited(lines);
  const list = {
    title: `${count || 'No invitation'} for ${counted(lines.length, 'line', 'lines')}`,
    says: <Judged lines={lines} />,
  };
  if (!count) return { ...list, press: 'Change the list', run: async () => ({ next: back }) };
  return {
    ...list,
    press: `Send ${count}`,
    back,
    run: async () => {
      const { lines: sent } = await change<{ lines: Line[] }>('POST', 'invitations', body);
      const unsent = sent.filter(({ verdict }) => verdict === 'unsent').length;
      const rest = unsent && ` ${unsent} could not be sent. Send the list again.`;
      return `${invited(sent) || 'No invitation'} on the way.${rest || ''}`;
    },
  };
}

const GIVEN: NonNullable<Question['fields']> = [
  { name: 'roles', label: 'Roles', hint: 'Separated by commas. The accounts get them when they are made.' },
  endField('End of the accounts', 'Empty means never.', { name: 'account_ends_at' }),
];

const FIELDS: NonNullable<Question['fields']> = [
  {
    name: 'addresses',
    label: 'Addresses',
    type: 'lines',
    required: true,
    hint: 'One on each line, or a pasted CSV. Nothing is sent yet.',
  },
  ...GIVEN,
  {
    name: 'text',
    label: 'Your text in the email',
    type: 'prose',
    hint: 'One paragraph of at most 500 characters.',
  },
];

/** Asks whom to invite, again with what was typed. */
export const invite = (before = new FormData()): Question => ({
  title: 'Invite people',
  press: 'Check the list',
  fields: FIELDS.map((field) => ({ ...field, value: typed(before, field.name) })),
  run: async (values) => {
    const body = {
      ...drawn(values),
      addresses: typed(values, 'addresses'),
      text: typed(values, 'text'),
    };
    const { lines } = await send<{ lines: Line[] }>('POST', 'invitations', { ...body, try: true });
    return { next: sending(lines, body, invite(values)) };
  },
});

const shown = (link: string): Question => ({
  title: 'The link for many',
  says: (
    <>
      <p>It is shown once. Whoever has it can sign up, with any address that they prove.</p>
      <Once of="the link" text={link} />
    </>
  ),
  press: 'I have copied it',
  told: 'once',
  run: async () => 'The link works.',
});

export const MANY: Question = {
  title: 'Make a link for many',
  says: 'A link with which several people sign up. It proves no address, so each of them gets a code.',
  press: 'Make the link',
  fields: [
    { name: 'uses', label: 'Accounts that it can make', type: 'digits', value: '10', required: true },
    endField('End of the link', 'At most a year away.', { required: true }),
    ...GIVEN,
  ],
  run: async (values, once) => {
    const wanted = {
      ...drawn(values),
      uses: typed(values, 'uses'),
      ends_at: midnightOf(typed(values, 'ends_at')),
    };
    const { link } = await change<{ link: string }>('POST', 'invitations/link', wanted, once);
    return { next: shown(link) };
  },
};

export const nameOf = ({ address, first }: Invitation) =>
  address || (first ? 'the link for the first administrator' : 'the link for many');

const post = (it: Invitation, action: string, done: string) => async () => {
  await change('POST', `invitations/${encodeURIComponent(it.id)}/${action}`, {});
  return done;
};

export const again = (it: Invitation): Question => ({
  title: `Send the invitation of ${nameOf(it)} again?`,
  says: 'A new email takes the place of the one before, whose link no longer works. From then on it is your invitation.',
  press: 'Send again',
  run: post(it, 'again', `A new invitation of ${nameOf(it)} is on its way.`),
});

export const end = (it: Invitation): Question => ({
  title: `End the invitation of ${nameOf(it)}?`,
  says: 'Its link no longer makes an account. No email says so.',
  press: 'End',
  danger: true,
  run: post(it, 'end', `The invitation of ${nameOf(it)} has ended.`),
});
