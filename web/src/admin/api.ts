import { QueryClient } from '@tanstack/react-query';
import { type Answer, exchange, request } from '../api/client';
import type { Failure } from '../api/problem';
import { UNPROVEN } from '../form/reload-when-over';
import { boot } from './boot';
import { askProof } from './proof';
import type { Page } from './types';

const API = '/auth/api/admin/';

/** The page is of one administrator, and does nothing as another one who signs in meanwhile. */
const shownFor = () => ({ 'portico-account': boot.user.id });

/** A request that failed, as an error for TanStack Query. */
class Failed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

const codeOf = (failure: Failure) => (failure.kind === 'problem' ? failure.problem.code : '');

/** The administrator has canceled the sign-in that the request needs. Another try would open its window again. */
export const canceled = (error: unknown) => error instanceof Failed && UNPROVEN.test(codeOf(error.failure));

/** Some changes of a window were saved before one failed. */
export class Partly extends Error {
  readonly failed: unknown;
  constructor(words: string, failed: unknown) {
    super(words);
    this.failed = failed;
  }
}

type Method = Parameters<typeof request>[0];

/**
 * Sends a request to the API of administration. If a proof is missing, or the session has ended, it asks for a new
 * sign-in in a window and sends the same request again, so no form is lost. With `once` it is carried out once, also if
 * its answer was lost and a button is pressed again.
 */
export async function send<T>(method: Method, path: string, body?: object, once?: string): Promise<T> {
  const headers = { ...shownFor(), ...(once && { 'idempotency-key': once }) };
  for (;;) {
    const answer: Answer<T> = await request(method, API + path, body, headers);
    if (answer.ok) return answer.value;
    const { failure } = answer;
    const code = codeOf(failure);
    if (!UNPROVEN.test(code) || !(await askProof(code))) throw new Failed(failure);
  }
}

/** Sends a file, for as long as it takes. The request before it has asked for a missing proof. */
export async function sendFile(path: string, file: File): Promise<void> {
  const answer = await exchange(API + path, { method: 'POST', body: file, headers: shownFor() });
  if (!answer.ok) throw new Failed(answer.failure);
}

/** A search that has found little goes on by itself so often. */
const PARTS = 4;

const FEW = 10;

/** Reads a page of a list. Where the search has ended early, it reads on until the page has some rows. */
export async function readOn<T extends Page>(path: string, rowsOf: (page: T) => unknown[]): Promise<T> {
  const page = await send<T>('GET', path);
  const [place, query] = path.split('?');
  for (let part = 1; part < PARTS && page.searched && page.next && rowsOf(page).length < FEW; part++) {
    const on = new URLSearchParams(query);
    on.set('after', page.next);
    const { next = '', searched = false, ...more } = await send<T>('GET', `${place}?${on}`);
    rowsOf(page).push(...rowsOf(more as T));
    Object.assign(page, { next, searched });
  }
  return page;
}

/** Reads again after a broken connection. A refusal of Portico stays one. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      queryFn: ({ queryKey: [path] }) => send('GET', String(path)),
      retry: (count, error) => count < 2 && error instanceof Failed && error.failure.kind !== 'problem',
      retryDelay: (count) => 500 * 2 ** count,
      staleTime: 10_000,
      networkMode: 'always',
    },
  },
});

/**
 * A change. What the page shows is read again after it: a refusal says that it no longer holds, and a lost answer may have
 * been one of success.
 */
export function change<T = unknown>(method: Method, path: string, body?: object, once?: string): Promise<T> {
  const sent = send<T>(method, path, body, once);
  const reread = () => void queries.invalidateQueries();
  void sent.then(reread, (error) => canceled(error) || reread());
  return sent;
}

/** By the kinds of failures, and by the codes of the server's faults. */
export const WORDS: Record<string, string> = {
  offline: 'This device is offline.',
  unreachable: 'Portico does not answer. Check the connection, and try again.',
  timeout: 'Portico took too long to answer. Try again.',
  down: 'The server in front of Portico does not reach it. Try again in a moment.',
  blocked: 'Something in front of Portico refused the request.',
  'idempotency.lost':
    'This was made, and its answer was lost. A secret or link is shown once: close this window, and look at the list.',
  'idempotency.other':
    'This was sent before with other values, and its answer was lost. Close this window, and look at the list.',
  'idempotency.running': 'Portico is still working on this. Try again in a few seconds.',
  'admin.last':
    'Without this account, nobody could open this page in the long run. Make another administrator first.',
  'admin.self': 'Another administrator must do this to your account. The command line can, too.',
  'admin.factor': 'Your account needs a second factor or a passkey before you can administer others.',
  'signup.closed': 'Sign-up is closed in the settings, so nobody can be invited.',
  'invitation.not_found': 'This invitation was used meanwhile, or has ended.',
  'invitation.list': 'Enter between 1 and 500 addresses.',
  'invitation.text': 'The text can have at most 500 characters.',
  'invitation.uses': 'A link can make between 1 and 10,000 accounts.',
  'invitation.end': 'Choose an end of the link in the future, at most a year from now.',
  'approval.undecided':
    'This account waits for an approval, and nobody can sign in to it. Approve or refuse it.',
  'approval.not_waiting': 'This account no longer waits for an approval.',
  'request.too_large':
    'This is too much at once. A file can have 32 MiB (portico user import takes larger ones), and a list of addresses 256 KiB.',
  'query.invalid': 'This search isn’t valid. Remove its filters, or open the list again from the menu.',
  'field.value': 'This value isn’t valid.',
  'role.invalid': 'A role has small letters, digits and . _ : - only.',
  'admin.end_past': 'Choose a time in the future.',
  'job.running': 'A job of yours is still running. Begin the next one when it has ended.',
  'import.file': 'Nothing can be imported: {why}.',
  'import.busy': 'Portico is reading other files of people. Try again in a few seconds.',
  'job.begun': 'This has begun already.',
  'job.replaced': 'Another window of yours has sent a file meanwhile.',
  'job.not_found': 'This job no longer exists.',
  'job.size': 'At most 500 people can be selected at once. All that match the filters can be more.',
  'key.ends_at': 'Choose an end in the future, at most a year away.',
  'key.full': 'You answer for 50 keys. End one of them first.',
  'key.missing': 'This key has ended meanwhile.',
  'key.name': 'Give the key a name.',
  'key.no_scope': 'Choose what the key may do.',
  'route.missing': 'You are no longer an administrator, or this does not exist.',
  'account.changed': 'Another account is signed in now. Reload the page.',
  'account.missing': 'There is no such account.',
  'account.missing_address': 'No account has this address.',
  'admin.other_address': 'This is not the address of the account.',
  'webhook.missing': 'The settings no longer have this webhook.',
  'webhook.unknown': 'This event waits again already, or is older than a week.',
  'outbox.unknown': 'This cannot be sent again: it was sent meanwhile, or is no longer valid.',
  'proof.needed': 'The confirmation was canceled, so nothing was done.',
  'session.required': 'You are signed out.',
  'session.ended': 'Your session has ended.',
  'claims.changed': 'The claims were changed meanwhile. Copy yours, close this window, and open it again.',
  'claims.invalid': 'Line {line}: {why}. Nothing was changed.',
  'account.exists': 'Another account has this address.',
  'address.invalid': 'This is not an email address.',
  'address.letters': 'Letters like é do not work before the @.',
  'throttle.limited': 'Too many requests. Try again in {wait}.',
  'code.held': 'This mailbox has received too many emails from administrators. Send the next one in {wait}.',
  unavailable: 'This is temporarily unavailable. Try again in a few seconds.',
  internal: 'Portico could not do this because of an error of its own.',
};

/** What to write instead of a value that is not valid, by the names of fields. */
const FORMS: Record<string, string> = {
  network: 'Enter the network as an address, such as 192.0.2.1, or as a record shows it.',
};

const lasting = (seconds: number) => {
  const minutes = Math.ceil(seconds / 60);
  return minutes > 90 ? `${Math.ceil(minutes / 60)} hours` : minutes > 1 ? `${minutes} minutes` : 'a minute';
};

/** The name of the field that the server refuses, or empty. */
export const fieldOf = (error: unknown) =>
  error instanceof Failed && error.failure.kind === 'problem'
    ? (error.failure.problem.fields[0]?.name ?? '')
    : '';

/** The words for a failed request, with the id to look for in the log. */
export function wordsOf(error: unknown): { words: string; id: string } {
  if (error instanceof Partly) {
    const { words, id } = wordsOf(error.failed);
    return { words: `${error.message} ${words}`, id };
  }
  if (!(error instanceof Failed)) return { words: 'The page has an error of its own. Reload it.', id: '' };
  const { failure } = error;
  if (failure.kind !== 'problem') return { words: WORDS[failure.kind] ?? failure.kind, id: '' };
  const { code, fields, request_id, retry_after, status } = failure.problem;
  const field = fields[0];
  const known = (field?.code === 'field.value' && FORMS[field.name]) || WORDS[field ? field.code : code];
  const words = known ?? (field && `${field.name}: ${field.code}`);
  return {
    words: (words ?? `Portico refused this: ${code}.`).replace(/{(\w+)}/g, (_, name) =>
      name === 'wait' ? lasting(retry_after) : (field?.params[name] ?? ''),
    ),
    id: known && status < 500 ? '' : request_id,
  };
}
