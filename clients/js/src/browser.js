// Signing in again without leaving the page. The sign-in page cannot be framed. It also isolates itself from its opener
// (Cross-Origin-Opener-Policy), so this page has no handle of the window. The window therefore returns to the address of
// this page with a mark. There this script tells all other pages of the origin, and closes the window.

const MARK = '#portico-signed-in';
const CHANNEL = 'portico';
const SESSION = '/auth/api/session';

/** Without a session, and with one that an app asks more of. */
const WORDS = /** @type {Record<string, Record<'ended' | 'more', [string, string, string]>>} */ ({
  en: {
    ended: ['Your sign-in has ended. What you have entered on this page is still here.', 'Sign in', 'Cancel'],
    more: ["Confirm it's you. What you have entered on this page is still here.", 'Continue', 'Cancel'],
  },
  de: {
    ended: [
      'Ihre Anmeldung ist abgelaufen. Ihre Eingaben auf dieser Seite sind noch da.',
      'Anmelden',
      'Abbrechen',
    ],
    more: [
      'Bestätigen Sie, dass Sie es sind. Ihre Eingaben auf dieser Seite sind noch da.',
      'Weiter',
      'Abbrechen',
    ],
  },
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
  const page = await signInPage(response);
  return page && (await signIn(page)) ? send(again) : response;
};

/** The sign-in page that a 401 of this origin names. @param {Response} response */
async function signInPage(response) {
  if (response.status !== 401 || new URL(response.url).origin !== location.origin) return '';
  const problem = await response
    .clone()
    .json()
    .catch(() => null);
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
    const [text, signInLabel, cancelLabel] = /** @type {NonNullable<typeof words>} */ (words)[
      more ? 'more' : 'ended'
    ];
    const dialog = document.createElement('dialog');
    const channel = new BroadcastChannel(CHANNEL);
    /** @param {boolean} done */
    const end = (done) => {
      channel.close();
      removeEventListener('focus', look);
      dialog.remove();
      resolve(done);
    };
    // Somebody may sign in by another way than the window.
    const look = () => ours && !more && send(SESSION).then(({ ok }) => ok && end(true), Boolean);
    /** @param {string} tag @param {string} textContent @param {() => void} [onclick] */
    const add = (tag, textContent, onclick) =>
      dialog.append(Object.assign(document.createElement(tag), { textContent, onclick }));
    add('p', text);
    // A press opens the window, so that no browser takes it for an unasked one.
    add('button', signInLabel, () => {
      if (!open(page, '_blank', 'popup,width=480,height=760')) location.assign(page);
    });
    add('button', cancelLabel, () => end(false));
    dialog.oncancel = () => end(false);
    channel.onmessage = () => end(true);
    addEventListener('focus', look);
    document.body.append(dialog);
    dialog.showModal();
  });
}
