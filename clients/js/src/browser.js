// Signing in again without leaving the page. The sign-in page cannot be framed. It also isolates itself from its opener
// (Cross-Origin-Opener-Policy), so this page has no handle of the window. The window therefore returns to the address of
// this page with a mark. There this script tells all other pages of the origin, and closes the window.

const MARK = '#portico-signed-in';
const CHANNEL = 'portico';
const SESSION = '/auth/api/session';

/** What all dialogs say, the button that ends them, and what they ask for: a sign-in, or more than a session has. */
const WORDS = /** @type {Record<string, [string, string, [string, string], [string, string]]>} */ ({
  en: [
    ' What you have entered on this page is still here.',
    'Cancel',
    ['Sign in to continue.', 'Sign in'],
    ["Confirm it's you.", 'Continue'],
  ],
  de: [
    ' Ihre Eingaben auf dieser Seite sind noch da.',
    'Abbrechen',
    ['Melden Sie sich an, um fortzufahren.', 'Anmelden'],
    ['Bestätigen Sie, dass Sie es sind.', 'Weiter'],
  ],
});

const send = globalThis.fetch.bind(globalThis);

if (globalThis.location?.hash === MARK) {
  history.replaceState(history.state, '', location.pathname + location.search);
  new BroadcastChannel(CHANNEL).postMessage('signed-in');
  setTimeout(close, 50); // not before the message has left
}

/** @type {Promise<boolean> | null} */
let asking = null;

/** @type {typeof import('./browser.d.ts').signIn} */
export function signIn(signInUrl) {
  asking ??= ask(signInUrl).finally(() => {
    asking = null;
  });
  return asking;
}

/** @type {typeof import('./browser.d.ts').fetch} */
export const fetch = async (input, init) => {
  const request = new Request(input, init);
  const again = request.clone();
  const response = await send(request);
  const page = await signInPage(response, request.method);
  if (!page || !(await signIn(page))) return response;
  // A person who signs in takes longer than the time limit of a request. What the page itself ends stays ended.
  return send(again.signal.reason?.name === 'TimeoutError' ? new Request(again, { signal: null }) : again);
};

/**
 * The sign-in page that a 401 of this origin names. Routers load the next page before anybody asks for it: a visitor who
 * has entered nothing, or was not signed in and sends nothing, is not disturbed.
 * @param {Response} response @param {string} method
 */
async function signInPage(response, method) {
  if (response.status !== 401 || new URL(response.url).origin !== location.origin) return '';
  if (navigator.userActivation?.hasBeenActive === false) return '';
  const problem = await response
    .clone()
    .json()
    .catch(() => null);
  if (method === 'GET' && problem?.code === 'session.required') return '';
  return typeof problem?.signin_url === 'string' ? problem.signin_url : '';
}

/** @param {string} signInUrl @returns {Promise<boolean>} */
function ask(signInUrl) {
  const page = new URL(signInUrl, location.href);
  if (!/^https?:$/.test(page.protocol)) return Promise.resolve(false); // javascript: would run in this page
  const ours = page.origin === location.origin;
  const more = page.searchParams.has('again') || !page.pathname.endsWith('/signin'); // there is a session
  page.searchParams.set(
    'return_to',
    (ours ? '' : location.origin) + location.pathname + location.search + MARK,
  );
  return new Promise((resolve) => {
    const words = WORDS[document.documentElement.lang.slice(0, 2)] ?? WORDS['en'];
    const [kept, cancel, ...asks] = /** @type {NonNullable<typeof words>} */ (words);
    const [text, label] = /** @type {[string, string]} */ (asks[more ? 1 : 0]);
    const dialog = document.createElement('dialog');
    const channel = new BroadcastChannel(CHANNEL);
    /** @param {boolean} done */
    const end = (done) => {
      channel.close();
      removeEventListener('focus', look);
      dialog.close(); // gives the focus back
      dialog.remove();
      resolve(done);
    };
    // Somebody may sign in by another way than the window.
    const look = () => ours && !more && send(SESSION).then(({ ok }) => ok && end(true), Boolean);
    /** @param {string} tag @param {string} textContent @param {() => void} [onclick] */
    const add = (tag, textContent, onclick) =>
      dialog.append(Object.assign(document.createElement(tag), { textContent, onclick }));
    add('p', text + kept);
    // A press opens the window, so that no browser takes it for an unasked one.
    add('button', label, () => {
      if (!open(page, '_blank', 'popup,width=480,height=760')) location.assign(page);
    });
    add('button', cancel, () => end(false));
    dialog.oncancel = () => end(false);
    channel.onmessage = () => end(true);
    addEventListener('focus', look);
    document.body.append(dialog);
    dialog.showModal();
  });
}
