/** The templates of emails and of messages to apps whose names would not be understood. */
export const MAILS: Record<string, string> = {
  recover: 'Reset of the password',
  'signin-code': 'Sign-in code',
  'signin-blocked': 'Sign-in paused',
  'provider-only': 'Sign-in works with a provider only',
  'address-outside': 'Address of a domain that may not sign up',
  'passkey-suspect': 'Passkey that may have been copied',
  'grant-reused': 'An app’s access was ended',
  'alarm-raised': '“This wasn’t me” was pressed',
  'take-back': 'Code that takes the account back',
  'account-left': 'Account deleted by its owner',
  'account-kept': 'Deletion canceled',
  'account-managed': 'Account changed by an administrator',
  'approvals-asked': 'Accounts wait for an approval',
  'key-ends': 'An API key ends soon',
  'backchannel-logout': 'Sign-out message',
  'backchannel-logout-guest': 'Sign-out message',
};

/** A text as the beginning of a sentence. */
export const sentence = (text: string) => text.replace(/^./, (c) => c.toUpperCase());

export const mailWords = (template: string) => MAILS[template] ?? sentence(template).replaceAll('-', ' ');

/** The source of settings that no file and no environment gives, as those of `portico dev`. */
export const UNSET = 'not set';

/** A number with its noun. */
export const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The roles of a text, which has commas or blanks between them. */
export const rolesIn = (text: string) => text.split(/[\s,]+/).filter(Boolean);

export const ADMIN = 'portico:admin';

/** What also happens to an administrator who becomes none or is disabled. A way back does not bring it back. */
export const RESIGNS =
  'ends for good what an administrator answers for: the secrets of API keys, open invitations, also links already handed out, and a running job.';

/** Who changes something, by the kinds of actors. */
export const ACTORS: Record<string, string> = {
  operator: 'the command line',
  admin: 'the administrator',
  key: 'the key',
  stranger: 'a stranger',
  provider: 'the provider',
};

/** The proofs of a sign-in, as session.Session has them. */
const METHODS: Record<string, string> = {
  password: 'password',
  passkey: 'passkey',
  totp: 'authenticator app',
  recovery_code: 'recovery code',
  mail: 'emailed code',
  operator_link: 'link from an administrator',
  trusted_browser: 'trusted browser',
};

export const methodWords = (method: string) => METHODS[method] ?? method.replace(/^provider:/, 'provider ');

/** Words for the codes in a detail, by event. */
const PARTS: Record<string, Record<string, string>> = {
  account_disabled: {
    erased: 'to be erased after 14 days',
    disabled: 'was disabled before',
    waiting: 'waited for an approval',
    leaving: 'its owner had closed it',
    restored: 'as before its deletion',
    ended: 'its end has come',
  },
  account_enabled: { restored: 'its deletion was undone' },
  account_deleted: { left: 'its owner had closed it', refused: 'in place of an approval' },
  session_ended: { others: 'all others', all: 'all of them' },
  api_key_ended: { old_secret: 'the old secret only' },
};

/** The detail of an event. That of a sign-in or a factor has the proofs, that of an email its template. */
export function detailWords(event: string, detail: string) {
  const parts = PARTS[event];
  if (parts)
    return detail
      .split(/, ?/)
      .map((part) => parts[part] ?? part)
      .join(', ');
  if (/^(signed_in|proof_given|factor_added|factor_removed)$/.test(event))
    return detail.split(',').map(methodWords).join(', ');
  return /^mail_(sent_again|dropped)$/.test(event) ? mailWords(detail) : detail;
}

export const eventFailed = (name: string) =>
  /failed|throttled|refused|suspect|held|replayed|reused/.test(name);

/** Whether a line is about something that went wrong. */
export const failed = ({ kind, what, detail }: Record<'kind' | 'what' | 'detail', string>) =>
  kind === 'email' ? mailFailed(detail) : eventFailed(what);

/** Whether an email will not arrive, by the states of outbox.State. */
export const mailFailed = (state: string) => /^(given up|too late)/.test(state);

/** A number of which the server counts no more than `most`. */
export const orMore = (n: number, most: number) => `${n}${n < most ? '' : ' or more'}`;

/** Why a server could not be asked, by the words of Go. */
const REASONS: [RegExp, string][] = [
  [/connect: connection refused/, 'connection refused'],
  [/: no such host/, 'host not found'],
  [/connect: (no route to host|network is unreachable)/, 'network not reachable'],
  [/i\/o timeout|context deadline exceeded|Client\.Timeout/, 'no answer in time'],
  [/x509: /, 'certificate not valid'],
  [/connection reset by peer|broken pipe|\bEOF$/, 'connection lost'],
];

/** A short reason in place of the words of Go, or empty for what a server has said. */
export const reasonOf = (answer: string) => REASONS.find(([form]) => form.test(answer))?.[1] ?? '';
