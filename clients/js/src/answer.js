// How a request is answered that is not served: as Portico's own gateway does.

/** @param {import('node:http').IncomingMessage} request */
export function navigates({ headers, method = 'GET' }) {
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
 * @param {import('node:http').IncomingMessage} request
 * @param {string} origin of the app
 */
export function comeBack(request, origin) {
  const { method, headers } = request;
  if (method === 'GET' || method === 'HEAD')
    return /** @type {{ originalUrl?: string }} */ (request).originalUrl ?? request.url ?? '/'; // Express cuts url
  const page = headers.referer;
  return page?.startsWith(`${origin}/`) ? page.slice(origin.length) : '/';
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {{ status: number, code: string, title: string, detail?: string, retry_after?: number, signin_url?: string }} problem RFC 9457
 */
export function answer(response, problem) {
  const body = JSON.stringify({ type: `urn:portico:error:${problem.code}`, retry_after: 0, ...problem });
  response.setHeader('content-type', 'application/problem+json');
  response.setHeader('cache-control', 'no-store');
  if (problem.retry_after) response.setHeader('retry-after', problem.retry_after);
  response.statusCode = problem.status;
  response.end(body);
}
