import { type Failure, foreign, parseProblem } from './problem';

export type Answer<T> = { ok: true; value: T } | { ok: false; failure: Failure };

/** Longer than the slowest honest answer (a queued password hash), shorter than a person's patience. */
const TIMEOUT_MS = 20_000;

/**
 * Asks the JSON API. It never throws: every way to fail is a Failure. `signal`
 * ends the request early and answers with the kind "aborted".
 */
export async function request<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  options: { body?: object; signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<Answer<T>> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort('timeout'), options.timeoutMs ?? TIMEOUT_MS);
  const onAbort = () => controller.abort('aborted');
  options.signal?.addEventListener('abort', onAbort);
  try {
    const response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(options.body ? { 'content-type': 'application/json' } : {}),
      },
      body: options.body ? JSON.stringify(options.body) : null,
      cache: 'no-store',
      redirect: 'error',
      signal: controller.signal,
    });
    const body = response.status === 204 ? {} : await jsonOf(response);
    if (response.ok && body) return { ok: true, value: body as T };
    const problem = parseProblem(body, response.status, response.headers.get('retry-after'));
    return { ok: false, failure: problem.code ? { kind: 'problem', problem } : foreign(problem) };
  } catch {
    return { ok: false, failure: { kind: cause(controller.signal) } };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  }
}

/** The object in the body, or undefined: the page of a proxy, or nothing. */
async function jsonOf(response: Response): Promise<object | undefined> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error; // the connection broke
  }
}

function cause(signal: AbortSignal) {
  if (signal.reason === 'timeout' || signal.reason === 'aborted') return signal.reason;
  return navigator.onLine ? 'unreachable' : 'offline';
}
