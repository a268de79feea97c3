/** The events of the record, as docs/operating/audit.md lists them, in words about somebody else. */
export const EVENTS: Record<string, string> = {
  signed_up: 'Signed up',
  signed_in: 'Signed in',
  sign_in_failed: 'A wrong password was entered',
  signed_out: 'Signed out',
  session_ended: 'Sessions were ended',
  throttled: 'Sign-in paused after too many wrong attempts',
  mail_held: 'An email was not sent, because too many were requested',
  code_failed: 'A wrong code was entered',
  code_replayed: 'A used code was entered again',
  password_changed: 'The password was changed',
  password_removed: 'The password was removed',
  address_changed: 'The email address was changed',
  recovery_address_set: 'The address for recovery was changed',
  address_removed: 'An email address was removed',
  alarm_raised: '“This wasn’t me” was pressed in an email',
  name_changed: 'The name was changed',
  language_changed: 'The language of emails was changed',
  picture_changed: 'The picture was changed or removed',
  terms_accepted: 'The terms of use were accepted',
  provider_linked: 'A provider was connected',
  provider_removed: 'A provider was removed',
  provider_refused: 'A sign-in with a provider failed',
  factor_added: 'An authenticator app was added',
  factor_removed: 'An authenticator app was removed',
  factor_failed: 'A wrong code was entered at the second step',
  recovery_codes_made: 'New recovery codes were made',
  recovery_codes_removed: 'The recovery codes were removed',
  recovery_code_used: 'A recovery code was used',
  passkey_added: 'A passkey was added',
  passkey_renamed: 'A passkey was renamed',
  passkey_removed: 'A passkey was removed',
  passkey_suspect: 'A passkey that may have been copied was used',
  data_downloaded: 'The data of the account was downloaded',
  browser_trusted: 'A trusted browser was added',
  trust_ended: 'Trusted browsers were removed',
  account_created: 'The account was created',
  link_made: 'A link to get in was made',
  account_disabled: 'The account was disabled',
  account_enabled: 'The account was enabled again',
  account_deleted: 'The account was deleted',
  account_left: 'The account was closed by its owner',
  account_kept: 'The deletion of the account was canceled',
  roles_changed: 'The roles were changed',
  unlocked: 'Waiting times and limits were reset',
  client_authorized: 'Signed in to an app',
  consent_given: 'An app got access',
  consent_revoked: 'An app was removed',
  grant_revoked: 'An app disconnected',
  grant_reused: 'An app’s access was ended, because a code or key was used twice',
  restored: 'The site was restored from a backup',
};

/** A name of the code, as "sign-in-code", for a kind that this page does not know. */
export const readable = (name: string) => name.replace(/^./, (c) => c.toUpperCase()).replaceAll(/[-_]/g, ' ');

export const eventWords = (name: string) => EVENTS[name] ?? readable(name);

export const eventFailed = (name: string) =>
  /failed|throttled|refused|suspect|held|replayed|reused/.test(name);

/** What a line of the timeline says. */
export function wordsOf({ kind, what }: Record<'kind' | 'what', string>): string {
  if (kind === 'email') return `Email: ${readable(what)}`;
  return kind === 'account' ? 'The account was made' : eventWords(what);
}

/** Whether a line is about something that went wrong. */
export const failed = ({ kind, what, detail }: Record<'kind' | 'what' | 'detail', string>) =>
  kind === 'email' ? mailFailed(detail) : eventFailed(what);

/** Whether an email will not arrive, by the states of outbox.State. */
export const mailFailed = (state: string) => /^(given up|too late)/.test(state);
