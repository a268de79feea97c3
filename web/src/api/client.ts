import { type Failure, foreign, parseProblem } from './problem';

export type Answer<T> = { ok: true; value: T } | { ok: false; failure: Failure };

/** Longer than the slowest valid response, which waits in the queue of password hashes. */
const TIMEOUT_MS = 20_000;

const ACCEPT = { accept: 'application/json' };

/** Sends a request to the JSON API. It never throws: each error is a Failure. */
export async function request<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
  const answer = await exchange<T>(path, {
    method,
    headers: { ...ACCEPT, ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null,
    signal: controller.signal,
  });
  clearTimeout(timer);
  return answer;
}

/** Sends a request for as long as it takes. As request, it never throws. */
export async function exchange<T>(path: string, init: RequestInit): Promise<Answer<T>> {
  try {
    const response = await fetch(path, { headers: ACCEPT, cache: 'no-store', redirect: 'error', ...init });
    const told = response.status === 204 ? {} : await jsonOf(response);
    if (response.ok && told) return { ok: true, value: told as T };
    const problem = parseProblem(told, response.status, response.headers.get('retry-after'));
    return { ok: false, failure: problem.code ? { kind: 'problem', problem } : foreign(problem) };
  } catch {
    return { ok: false, failure: { kind: cause(init.signal?.aborted) } };
  }
}

/** The object in the body. It is undefined for an empty body and for the page of a proxy. */
async function jsonOf(response: Response): Promise<object | undefined> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error; // the connection broke
  }
}

function cause(late?: boolean) {
  if (late) return 'timeout';
  return navigator.onLine ? 'unreachable' : 'offline';
}
