/**
 * `fetch` for an app behind Portico. When the answer is the 401 of a missing or ended session, a dialog asks the user to
 * sign in, in a separate window. The request is then sent once more. If the user cancels, the page gets the 401. Nobody
 * is asked who has pressed nothing on the page, and at no GET that gets `session.required`: routers load pages ahead.
 */
export const fetch: typeof globalThis.fetch;

/**
 * Asks the person to sign in, in place, for what is no fetch: a WebSocket or an event stream that ended. One dialog is
 * shown at a time.
 * @param signInUrl member `signin_url` of a 401, an absolute URL
 * @returns whether somebody has signed in
 */
export function signIn(signInUrl: string): Promise<boolean>;
