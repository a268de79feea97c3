// How a runtime with fetch() alone asks Portico.

export const ANSWER_TIME = 5_000;
export const MAX_ANSWER = 64 << 10;
// Such a runtime can end what a request began when that request is answered, and its promise never settles: no other
// request waits for it.
export const SHARED_FOR = 0;

/**
 * Without following redirects, by which another server would say what the keys are.
 * @param {URL} url @param {string} host @param {Record<string, string>} headers
 * @returns {Promise<{ status: number, body: string }>}
 */
export async function get(url, host, headers) {
  if (url.host !== host)
    throw new TypeError(`this runtime cannot ask ${url.host} for ${host}: leave out the option address`);
  const signal = AbortSignal.timeout(ANSWER_TIME);
  const { status, body } = await fetch(url, { headers, redirect: 'manual', signal });
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return { status, body: text };
    text += decoder.decode(part.value, { stream: true });
    if (text.length > MAX_ANSWER) {
      await reader?.cancel();
      throw new Error(`the answer to ${url.pathname} is too long`);
    }
  }
}
