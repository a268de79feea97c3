// The requests of the helpers for tests.

const ROOT = '/auth/api/dev/';

/**
 * The path and query of the next email.
 * @param {Parameters<typeof import('./testing.d.ts').nextMail>[1]} to @param {number} wait
 */
export function mailPath(to, wait) {
  const [address, after] =
    typeof to === 'string' ? [to, 0] : 'email' in to ? [to.email, to.mail] : [to.to[0] ?? '', to.number];
  return `mail?${new URLSearchParams({ to: address, after: String(after), wait: String(wait) })}`;
}

/**
 * Portico refuses a write unless it comes from its own origin. No page of another one can send this header.
 * @param {string} path @param {object} [body] @param {number} [wait] seconds that the answer may wait for an email
 */
export const request = (path, body, wait = 0) => ({
  url: ROOT + path,
  method: body ? 'POST' : 'GET',
  timeout: 30_000 + wait * 1000,
  headers: { 'sec-fetch-site': 'same-origin', ...(body && { 'content-type': 'application/json' }) },
});
