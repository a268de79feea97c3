// How a request is answered that is not served: as Portico's own gateway does.

/** @typedef {{ method: string, headers: import('node:http').IncomingHttpHeaders, url: string }} Asked */

/** @param {import('node:http').IncomingMessage} request @returns {Asked} */
export const ofNode = (request) => ({
  method: request.method ?? 'GET',
  headers: request.headers,
  url: /** @type {{ originalUrl?: string }} */ (request).originalUrl ?? request.url ?? '/', // Express cuts url
});

/** @param {Request} request @returns {Asked} */
export function ofWeb(request) {
  const { host, pathname, search } = new URL(request.url);
  return {
    method: request.method,
    headers: { host, ...Object.fromEntries(request.headers) },
    url: pathname + search,
  };
}

/** @param {Asked} asked */
export function navigates({ headers, method }) {
  // A client that takes JSON and no page never navigates.
  if (headers.upgrade || (/json/i.test(headers.accept ?? '') && !/html/i.test(headers.accept ?? '')))
    return false;
  const mode = headers['sec-fetch-mode'];
  // Browsers tell a navigation by Fetch Metadata. An Accept with text/html proves nothing, because scripts send any type.
  if (mode) return mode === 'navigate' && ['document', undefined].includes(one(headers['sec-fetch-dest']));
  return (method === 'GET' || method === 'HEAD') && !headers['x-requested-with'];
}

/** @param {string | string[] | undefined} value */
const one = (value) => (Array.isArray(value) ? value[0] : value);

/**
 * Where a person who has signed in goes on: to what was asked for, or to the page whose form was sent, which the
 * browser cannot send again.
 * @param {Asked} asked
 * @param {string} origin of the app
 */
export function comeBack({ method, headers, url }, origin) {
  if (method === 'GET' || method === 'HEAD') return url;
  const page = headers.referer;
  return page?.startsWith(`${origin}/`) ? page.slice(origin.length) : '/';
}

/** What is answered in place of the app. */
export class Answer {
  /** @param {number} status @param {Record<string, string>} headers @param {string | null} [body] */
  constructor(status, headers, body = null) {
    this.status = status;
    this.headers = { ...headers, 'cache-control': 'no-store' };
    this.body = body;
  }

  /** @param {{ status: number, code: string, title: string, detail?: string, retry_after?: number, signin_url?: string }} problem RFC 9457 */
  static problem(problem) {
    const body = { type: `urn:portico:error:${problem.code}`, retry_after: 0, ...problem };
    /** @type {Record<string, string>} */
    const headers = { 'content-type': 'application/problem+json' };
    if (problem.retry_after) headers['retry-after'] = String(problem.retry_after);
    return new Answer(problem.status, headers, JSON.stringify(body));
  }

  /** @param {import('node:http').ServerResponse} response */
  write(response) {
    response.writeHead(this.status, this.headers);
    response.end(this.body ?? undefined);
  }
}
