// The components for React, rendered by a server and in a real Chromium, behind the real program.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { bundle, launch, page, signIn } from './support/app.js';
import { listen, Site } from './support/site.js';
import { App } from './support/user-app.js';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
// Allows no style but that of files.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";

/** @type {Record<string, [type: string, body: string]>} */
let files = {};
const upstream = createServer((request, response) => {
  const found = files[new URL(request.url ?? '/', 'http://app').pathname];
  response.writeHead(found ? 200 : 404, {
    'content-type': found?.[0] ?? 'text/plain',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer', // as helmet sends it: forms have "Origin: null"
  });
  response.end(found?.[1]);
});

/** @type {Site} */
let site;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  [site, browser] = await Promise.all([
    listen(upstream).then((port) => Site.start(port, { PORTICO_RULES: 'public /*' })),
    launch(),
  ]);
  const html = renderToString(createElement(App));
  files = {
    '/': [
      'text/html',
      page(
        `<link rel="stylesheet" href="/app.css"><main id="root">${html}</main><script type="module" src="/app.js"></script>`,
      ),
    ],
    '/app.css': [
      'text/css',
      ':root{color-scheme:light dark;font:16px sans-serif}header{display:flex;justify-content:end;align-items:center;gap:8px;padding:8px;background:#234;color:#fff}',
    ],
    '/app.js': [
      'text/javascript',
      await bundle(`
      import { createElement } from 'react';
      import { hydrateRoot } from 'react-dom/client';
      import { App } from './user-app.js';
      window.wrong = [];
      const say = (error) => window.wrong.push(String(error));
      hydrateRoot(document.querySelector('#root'), createElement(App), { onRecoverableError: say, onUncaughtError: say });`),
    ],
  };
});
after(async () => {
  await browser.close();
  await site.stop();
  upstream.closeAllConnections();
  upstream.close();
});

/** @param {import('node:test').TestContext} t @param {import('playwright-core').BrowserContextOptions} [options] */
async function open(t, options) {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  t.after(() => context.close());
  context.setDefaultTimeout(60_000); // a busy machine
  const tab = await context.newPage();
  /** @type {string[]} */
  const said = [];
  tab.on('console', (message) => message.type() === 'error' && said.push(message.text()));
  await tab.goto(site.origin);
  await tab.getByRole('link', { name: 'Sign in' }).click();
  await signIn(tab);
  await tab.waitForURL(`${site.origin}/`);
  await tab.getByRole('button', { name: 'Account: Mära Lind' }).waitFor();
  said.length = 0; // the 401 before
  return { tab, said };
}

/** @param {import('playwright-core').Page} tab */
const initials = (tab) =>
  tab.locator('.portico-user span').evaluate((span) => getComputedStyle(span, '::before').content);

/** What screen readers are told of the button. @param {import('playwright-core').Page} tab */
async function expanded(tab) {
  const session = await tab.context().newCDPSession(tab);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const button = nodes.find(
    ({ role, name }) => role?.value === 'button' && name?.value.startsWith('Account'),
  );
  return button?.properties?.find(({ name }) => name === 'expanded')?.value.value;
}

test('what a server renders is kept by the browser, and one request answers all components', async (t) => {
  assert.match(files['/']?.[1] ?? '', /<svg width="44" height="44" aria-hidden="true"><\/svg><\/header>/);
  const { tab, said } = await open(t);
  /** @type {string[]} */
  const asked = [];
  tab.on('request', (request) => request.url().endsWith('/session') && asked.push(request.url()));
  await tab.reload();
  await tab.getByText('in', { exact: true }).waitFor();
  assert.deepEqual(asked, [`${site.origin}/auth/api/session`]);
  assert.equal(await tab.getByRole('link', { name: 'Sign in' }).count(), 0);
  assert.deepEqual(await tab.evaluate('window.wrong'), []);
  assert.deepEqual(said, []);
});

test('the menu is used by keyboard, tells screen readers its state, and signs out', async (t) => {
  const { tab } = await open(t);
  const button = tab.getByRole('button', { name: 'Account: Mära Lind' });
  const menu = tab.getByRole('group', { name: 'Account' });
  assert.equal(await initials(tab), '"ML"');
  assert.equal(await expanded(tab), false);
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('Enter');
  assert.match((await menu.textContent()) ?? '', /^Mära Lind\s*mara@example.com/);
  assert.equal(await expanded(tab), true);
  const focused = () => tab.evaluate(() => document.activeElement?.textContent);
  await tab.keyboard.press('Tab');
  assert.equal(await focused(), 'Account');
  await tab.keyboard.press('Escape');
  assert.equal(await menu.count(), 0);
  assert.equal(await focused(), '');
  await button.click();
  await button.click(); // closes, and does not open again
  assert.equal(await menu.count(), 0);
  await button.click();
  await tab.mouse.click(5, 300);
  assert.equal(await menu.count(), 0);

  await button.click();
  const left = tab.waitForRequest('**/auth/signout');
  await tab.getByRole('button', { name: 'Sign out' }).click();
  assert.equal((await left).method(), 'POST');
  await tab.waitForURL('**/auth/signed-out*');
  await tab.goto(site.origin);
  await tab.getByRole('link', { name: 'Sign in' }).waitFor();
  assert.equal(await tab.getByRole('button').count(), 0);
  await tab.waitForLoadState('networkidle'); // the 401 is read to its end
});

for (const width of [1280, 360])
  for (const colorScheme of /** @type {const} */ (['light', 'dark']))
    test(`at ${width} pixels, ${colorScheme}, the menu is on the page and nothing breaks a rule of axe`, async (t) => {
      const { tab } = await open(t, { viewport: { width, height: 480 }, colorScheme });
      const button = tab.getByRole('button', { name: 'Account: Mära Lind' });
      for (const side of ['flex-end', 'center', 'flex-start', 'row-reverse']) {
        const header = tab.locator('header');
        await header.evaluate((node, value) => {
          node.style.justifyContent = value;
          node.style.marginTop = value === 'row-reverse' ? '420px' : '';
        }, side);
        await button.click();
        const menu = await tab.getByRole('group', { name: 'Account' }).boundingBox();
        const place = await button.boundingBox();
        assert.ok(menu && place);
        assert.ok(menu.x >= 8 && menu.x + menu.width <= width - 8, `${side}: ${JSON.stringify(menu)}`);
        assert.ok(menu.y >= 0 && menu.y + menu.height <= 480, `${side}: ${JSON.stringify(menu)}`);
        const gap = side === 'row-reverse' ? place.y - menu.y - menu.height : menu.y - place.y - place.height;
        assert.ok(gap >= 0 && gap < 8, `${side}: ${gap} pixels from the button`);
        await tab.evaluate(AXE);
        const broken = await tab.evaluate(
          `axe.run('header', { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id }) => id))`,
        );
        assert.deepEqual(broken, []);
        await tab.keyboard.press('Escape');
      }
    });

test('a picture covers the initials, which are there without it', async (t) => {
  const { tab } = await open(t);
  const drawing = await tab.screenshot({ clip: { x: 0, y: 0, width: 64, height: 64 } });
  const { user } = await tab.evaluate(async () => (await fetch('/auth/api/session')).json());
  const form = new FormData();
  form.set('account', user.id);
  form.set('picture', new Blob([new Uint8Array(drawing)], { type: 'image/png' }), 'me.png');
  const given = await fetch(`${site.origin}/auth/account/profile/picture`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
    headers: { origin: site.origin, cookie: await site.signIn('mara@example.com') },
  });
  assert.equal(given.status, 303);
  await tab.evaluate(() => dispatchEvent(new Event('focus')));
  const picture = tab.locator('.portico-user img');
  await picture.waitFor();
  assert.match((await picture.getAttribute('src')) ?? '', /^http:\/\/localhost:\d+\/auth\/picture\//);
  assert.equal(
    await picture.evaluate((/** @type {HTMLImageElement} */ image) =>
      image.decode().then(() => image.naturalWidth),
    ),
    256,
  );

  await tab.route('**/auth/picture/*', (route) => route.abort());
  await tab.reload();
  await picture.waitFor({ state: 'hidden' });
  assert.equal(await initials(tab), '"ML"');
});

test('the components weigh 3 KiB at most', async () => {
  const script = await bundle(
    `export * from '${fileURLToPath(import.meta.resolve('portico-client/react'))}'`,
    {
      minify: true,
      external: ['react'],
    },
  );
  const weight = gzipSync(script).length;
  assert.ok(weight <= 3072, `${weight} bytes`);
});
