// The script for an app's page, in a real Chromium and behind the real program.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { bundle, launch, page, signIn } from './support/app.js';
import { listen, Site } from './support/site.js';

/** The texts that the app was asked to save. @type {string[]} */
const saved = [];
/** @type {Record<string, string>} */
let pages = {};
const upstream = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://app');
  if (request.method === 'POST') {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      saved.push(body);
      response.end(`saved ${body}`);
    });
    return;
  }
  const found = pages[pathname];
  response.statusCode = found ? 200 : 404;
  response.setHeader(
    'content-type',
    pathname.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8',
  );
  response.end(found);
});

/** @type {Site} */
let site;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  [site, browser] = await Promise.all([
    listen(upstream).then((port) =>
      Site.start(port, {
        PORTICO_RULES: 'public GET /public/*, mfa POST /vault, fresh:10m POST /transfer, signed-in /*',
      }),
    ),
    launch(),
  ]);
  pages = {
    '/plain': page('<h1>the app</h1>'),
    '/': page(`<script src="/auth/assets/reauthenticate.js"></script><textarea></textarea><button>Save</button><output></output>
      <script>document.querySelector('button').onclick = async () => {
        const answer = await fetch('/save', { method: 'POST', body: document.querySelector('textarea').value });
        document.querySelector('output').value = answer.status + ' ' + (await answer.text());
      }</script>`),
    '/public': page(`<script src="/auth/assets/reauthenticate.js"></script><h1>Everybody</h1>
      <script>let method = 'GET';
        onmousemove = async () => fetch('/public/' + (await fetch('/save', { method })).status)</script>`),
    '/react': page('<div id="root"></div><script type="module" src="/react.js"></script>'),
    '/react.js': await bundle(`
      import { createElement } from 'react';
      import { createRoot } from 'react-dom/client';
      import { useSession } from 'portico-client/react';
      function Greeting() {
        const { status, session } = useSession();
        return createElement('h1', null, status, ' ', session?.user.email);
      }
      createRoot(document.getElementById('root')).render(createElement(Greeting));`),
  };
});
after(async () => {
  await browser.close();
  await site.stop();
  upstream.closeAllConnections();
  upstream.close();
});

/**
 * A browser of its own that is signed in, or with null is not.
 * @param {string} path @param {import('node:test').TestContext} t @param {string | null} [email]
 */
async function open(path, t, email) {
  const context = await browser.newContext({ locale: 'en-US' });
  t.after(() => context.close());
  context.setDefaultTimeout(60_000); // a busy machine
  const tab = await context.newPage();
  await tab.goto(site.origin + path);
  if (email !== null) await signIn(tab, email);
  await tab.waitForURL(site.origin + path);
  return tab;
}

/** Ends the sessions and waits until the program has felt it. @param {import('playwright-core').Page} tab */
async function endSessions(tab) {
  await site.run('session', 'end', 'mara@example.com');
  while (await tab.evaluate(async () => (await fetch('/auth/api/session')).ok));
}

/** The text of the button that has the focus. @param {import('playwright-core').Page} tab */
const focused = (tab) => tab.evaluate(() => document.activeElement?.textContent);

test('a request without a session signs in in place, and is sent again once', async (t) => {
  const tab = await open('/', t);
  await endSessions(tab);
  saved.length = 0;
  await tab.getByRole('textbox').fill('a long letter');
  await tab.getByRole('button', { name: 'Save' }).click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('What you have entered on this page is still here').waitFor();
  assert.deepEqual(saved, []);

  const opened = tab.waitForEvent('popup');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  const popup = await opened;
  const closed = popup.waitForEvent('close');
  await signIn(popup);
  await closed;

  await tab.getByText('200 saved a long letter').waitFor();
  assert.deepEqual(saved, ['a long letter']);
  assert.equal(await dialog.count(), 0);
  assert.equal(await focused(tab), 'Save');
  assert.equal(await tab.getByRole('textbox').inputValue(), 'a long letter');
});

test('many requests ask once, and whoever cancels gets the 401', async (t) => {
  const tab = await open('/', t);
  await endSessions(tab);
  await tab.getByRole('button', { name: 'Save' }).focus();
  const statuses = tab.evaluate(() =>
    Promise.all([1, 2, 3].map(async () => (await fetch('/save', { method: 'POST', body: 'x' })).status)),
  );
  await tab.getByRole('dialog').waitFor();
  assert.equal(await tab.getByRole('dialog').count(), 1);
  await tab.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(await statuses, [401, 401, 401]);
  assert.equal(await focused(tab), 'Save');

  const again = tab.evaluate(async () => (await fetch('/save', { method: 'POST', body: 'x' })).status);
  await tab.getByRole('dialog').waitFor();
  await tab.keyboard.press('Escape');
  assert.equal(await again, 401);
  assert.equal(await focused(tab), 'Save');
});

/** Signs in in another tab, while this one asks. @param {import('playwright-core').Page} tab */
async function signInElsewhere(tab) {
  const other = await tab.context().newPage();
  await other.goto(`${site.origin}/auth/signin`);
  await signIn(other);
  await other.waitForURL(`${site.origin}/`);
  await other.close();
  await tab.evaluate(() => dispatchEvent(new Event('focus'))); // headless windows get none
}

test('somebody who signs in in another tab goes on here', async (t) => {
  const tab = await open('/', t);
  await endSessions(tab);
  await tab.getByRole('button', { name: 'Save' }).click();
  await tab.getByRole('dialog').waitFor();
  await signInElsewhere(tab);
  await tab.getByText('200 saved').waitFor();
});

test('a request outlives its time limit while somebody signs in, and not what the page ends', async (t) => {
  const tab = await open('/', t);
  for (const [reason, want] of [
    ['TimeoutError', 'saved ten crowns'],
    ['AbortError', 'AbortError'],
  ]) {
    await endSessions(tab);
    const answer = tab.evaluate(async (name) => {
      const end = new AbortController();
      addEventListener('late', () => end.abort(new DOMException('', name)), { once: true });
      const { signal } = end;
      return fetch('/save', { method: 'POST', body: 'ten crowns', signal }).then(
        (response) => response.text(),
        (error) => error.name,
      );
    }, reason);
    await tab.getByRole('dialog').waitFor();
    await tab.evaluate(() => dispatchEvent(new Event('late')));
    await signInElsewhere(tab);
    assert.equal(await answer, want);
  }
});

test('a rule that asks for a second factor leads to one in place, though there is a session', async (t) => {
  const tab = await open('/', t, 'ben@example.com');
  const status = tab.evaluate(async () => (await fetch('/vault', { method: 'POST', body: 'x' })).status);
  const dialog = tab.getByRole('dialog');
  await dialog.getByText("Confirm it's you").waitFor();
  await tab.evaluate(async () => {
    dispatchEvent(new Event('focus'));
    await fetch('/auth/api/session');
  });
  assert.equal(await dialog.count(), 1);

  const opened = tab.waitForEvent('popup');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const popup = await opened;
  const closed = popup.waitForEvent('close');
  await popup.getByText('The page you opened needs two-step verification').waitFor();
  await popup.getByRole('button', { name: 'Set up an authenticator app' }).click();
  await popup.getByText("Can't scan it?").click();
  await popup.getByLabel('6-digit code').fill(totp((await popup.locator('code').textContent()) ?? ''));
  await popup.getByRole('button', { name: "I've saved them" }).click();
  await closed;
  assert.equal(await status, 200);
});

test('a rule that asks for a new proof gets one in place, though an older session stays', async (t) => {
  const tab = await open('/', t);
  const transfer = () =>
    tab.evaluate(async () => {
      const answer = await fetch('/transfer', { method: 'POST', body: 'ten crowns' });
      return `${answer.status} ${await answer.text()}`;
    });
  assert.equal(await transfer(), '200 saved ten crowns');
  await site.age();
  saved.length = 0;
  const refused = tab.waitForResponse('**/transfer');
  const answer = transfer();
  const response = await refused;
  assert.equal(response.status(), 401);
  assert.equal((await response.json()).code, 'rule.fresh');
  assert.equal(await tab.evaluate(async () => (await fetch('/auth/api/session')).status), 200);
  const dialog = tab.getByRole('dialog');
  await dialog.getByText("Confirm it's you").waitFor();

  const opened = tab.waitForEvent('popup');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const popup = await opened;
  const closed = popup.waitForEvent('close');
  await signIn(popup);
  await closed;
  assert.equal(await answer, '200 saved ten crowns');
  assert.deepEqual(saved, ['ten crowns']);
  assert.equal(tab.url(), `${site.origin}/`);
});

test('a router that loads pages ahead disturbs nobody', async (t) => {
  const tab = await open('/public', t, null);
  const hover = () => tab.mouse.move(Math.random() * 300, 50);
  /** What the pointer loads is answered 401, and not asked about. */
  const quiet = () => Promise.all([tab.waitForRequest('**/public/401'), hover()]);
  await quiet();
  await tab.mouse.click(100, 100);
  await quiet();
  await tab.evaluate("method = 'POST'");
  await hover();
  await tab.getByText('Sign in to continue. What you have entered').waitFor();

  const known = await open('/', t);
  await endSessions(known);
  await known.goto(`${site.origin}/public`);
  await Promise.all([known.waitForRequest('**/public/401'), known.mouse.move(30, 50)]); // nothing has been pressed
  await known.mouse.click(100, 100);
  await known.mouse.move(40, 50);
  await known.getByText('Sign in to continue. What you have entered').waitFor();
});

/** The code of an authenticator app (RFC 6238). @param {string} secret in base32 */
function totp(secret) {
  const bits = [...secret.replaceAll(' ', '')].map((c) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const sum = createHmac('sha1', key).update(step).digest();
  const number = sum.readUInt32BE((sum[19] ?? 0) & 0x0f) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

test('only a sign-in page of the web is opened, and only for this origin’s own answers', async (t) => {
  const tab = await open('/', t);
  const answers = {
    script: { status: 401, json: { signin_url: 'javascript:document.title="run"//' } },
    none: { status: 401, json: { code: 'session.required' } },
    text: { status: 401, body: 'no' },
    forbidden: { status: 403, json: { signin_url: `${site.origin}/auth/signin` } },
  };
  for (const [name, answer] of Object.entries(answers))
    await tab.route(`**/${name}`, (route) => route.fulfill(answer));
  const elsewhere = 'http://other.test/401';
  await tab.route(elsewhere, (route) =>
    route.fulfill({
      status: 401,
      headers: { 'access-control-allow-origin': '*' },
      json: { signin_url: 'https://evil.test/' },
    }),
  );
  for (const url of [...Object.keys(answers).map((name) => `/${name}`), elsewhere]) {
    const status = await tab.evaluate(async (target) => (await fetch(target)).status, url);
    assert.equal(status, url === '/forbidden' ? 403 : 401, url);
  }
  assert.equal(await tab.getByRole('dialog').count(), 0);
  assert.equal(await tab.title(), 'App');
});

test('useSession tells who is signed in, and notices the end', async (t) => {
  const tab = await open('/react', t);
  await tab.getByRole('heading', { name: 'signed-in mara@example.com' }).waitFor();
  await tab.route('**/auth/api/session', (route) => route.abort());
  await tab.evaluate(() => dispatchEvent(new Event('focus')));
  await tab.getByRole('heading', { name: 'signed-in mara@example.com' }).waitFor(); // what was known stays
  await tab.unroute('**/auth/api/session');
  await endSessions(tab);
  await tab.evaluate(() => dispatchEvent(new Event('focus')));
  await tab.getByRole('heading', { name: 'signed-out' }).waitFor();
  await tab.route('**/auth/api/session', (route) => route.abort());
  const failed = tab.waitForEvent('requestfailed');
  await tab.evaluate(() => dispatchEvent(new Event('focus')));
  await failed;
  await tab.evaluate(() => new Promise((done) => setTimeout(done, 100))); // the page takes in the failure
  assert.match((await tab.getByRole('heading').textContent()) ?? '', /^signed-out/);
});

test('a sign-in costs what README.md says', async (t) => {
  const context = await browser.newContext({ locale: 'en-US' });
  t.after(() => context.close());
  const tab = await context.newPage();
  /** @type {import('playwright-core').Response[]} */
  const seen = [];
  tab.on('response', (response) => !response.url().startsWith('data:') && seen.push(response));
  await tab.goto(`${site.origin}/plain`);
  await tab.waitForLoadState('networkidle'); // the passkeys are asked for when the page is idle
  await signIn(tab);
  await tab.getByRole('heading', { name: 'the app' }).waitFor();

  const manual = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const said = (/** @type {string} */ row) =>
    (new RegExp(`\\| ${row} \\| ([^|]+) \\|`).exec(manual)?.[1] ?? '').match(/\d+/g)?.map(Number);
  const cookies = (await context.cookies()).map(({ value }) => value);
  const scripts = seen.filter((response) => response.url().endsWith('.js'));
  const sizes = await Promise.all(scripts.map((response) => response.request().sizes()));
  const script = sizes.reduce((sum, size) => sum + size.responseBodySize, 0);
  assert.deepEqual(said('redirects'), [seen.filter((response) => response.status() === 303).length]);
  assert.deepEqual(said('requests'), [seen.length]);
  assert.deepEqual(said('cookies afterwards'), [cookies.length, cookies.join('').length]);
  assert.deepEqual(said('script of the sign-in page'), [Math.ceil(script / 1024)]);
});
