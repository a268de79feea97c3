/** The buttons and the offer of passkeys, when the network or the server fails. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, openWorld, problem, shown, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ASK = '/auth/api/passkey/ask';
const ADD = '/auth/api/account/passkeys/begin';
const SIGN_IN = 'Sign in with a passkey';

test.each([
  ['signin/idle', ASK, SIGN_IN],
  ['mfa/passkey', ASK, 'Use a passkey'],
  ['protect/idle', '/auth/api/protect/passkey/begin', 'Create a passkey instead'],
  ['new-passkey/offer', ADD, 'Create a passkey'],
  ['account-passkeys/none', ADD, 'Add a passkey'],
])(
  '%s: a refused passkey has the id of its request and the focus, and a wait counts down',
  async (state, path, name) => {
    const api: Api = { [path]: problem(500, { code: 'internal' }) };
    const { page } = await visit(world, shown(state), { api });
    const button = page.getByRole('button', { name, exact: true });
    await button.click();
    await page.getByText('01JD3K8V5Q').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe('alert'); // and no empty field
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0); // the button itself does it
    api[path] = problem(429, { code: 'throttle.limited', retry_after: 2 });
    await button.click();
    await page.getByText('Try again in 1 second.').waitFor({ timeout: 20_000 });
    await page.getByText('You can try again now.').waitFor({ timeout: 20_000 });
  },
);

test('a passkey of the second step whose file does not come says so, or loads the page anew', async () => {
  const { page } = await visit(world, shown('mfa/passkey'));
  const press = () => page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.route('**/auth/assets/offer-*', (route) => route.abort());
  await page.context().setOffline(true);
  await press();
  await page.getByText("You're offline.").waitFor();
  await page.context().setOffline(false);
  const anew = page.waitForEvent('load');
  await press();
  await anew;
});

test('a press on a passkey does not lead into the form', async () => {
  const { page } = await visit(world, shown('signin/idle'), { alone: true });
  const button = page.getByRole('button', { name: SIGN_IN });
  await button.click();
  await page.locator('button[aria-busy=true]').waitFor();
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
});

/** The sign-in page in a browser whose menu offers passkeys. */
async function openOffer(answer: Api[string], hidden: boolean) {
  const api: Api = { [ASK]: answer };
  const asked = { count: 0 };
  const { page } = await visit(world, shown('signin/idle'), {
    api,
    early: async (page) => {
      page.on('request', (request) => {
        asked.count += Number(request.url().endsWith(ASK));
      });
      await page.evaluate((hidden) => {
        PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(true);
        navigator.credentials.get = () => new Promise(() => {});
        Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
      }, hidden);
    },
  });
  await page.locator('[data-ready] button', { hasText: SIGN_IN }).waitFor(); // the offer is loaded
  return { page, api, asked };
}

const CHALLENGE = { body: { challenge: 'AAAA', rp_id: 'localhost', timeout: 300_000 } };

const comeBack = (page: Page) => page.evaluate(() => dispatchEvent(new Event('focus')));

const offered = (page: Page) => page.locator('[autocomplete="username webauthn"]').waitFor();

test('an offer of passkeys that failed, or is too old, begins again when the user comes back', async () => {
  const { page, api, asked } = await openOffer('abort', false);
  await expect.poll(() => asked.count).toBe(1);
  api[ASK] = CHALLENGE;
  await comeBack(page);
  await offered(page);
  await comeBack(page); // the challenge is still good
  await page.evaluate(() => {
    const now = Date.now();
    Date.now = () => now + 280_000; // a laptop that has slept
  });
  await comeBack(page);
  await expect.poll(() => asked.count).toBe(3);
});

test('a tab in the background asks for no challenge until it is seen', async () => {
  const { page, asked } = await openOffer(CHALLENGE, true);
  await page.waitForLoadState('networkidle');
  expect(asked.count).toBe(0);
  await page.evaluate(() => {
    Reflect.deleteProperty(document, 'hidden');
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await offered(page);
});

test('a press before the browser has said that its menu offers passkeys is not given up for the offer', async () => {
  const { page } = await visit(world, shown('signin/idle'), {
    api: { [ASK]: CHALLENGE },
    early: (page) =>
      page.evaluate(() => {
        PublicKeyCredential.isConditionalMediationAvailable = () =>
          new Promise((resolve) => Object.assign(window, { says: () => resolve(true) }));
        navigator.credentials.get = (options) =>
          new Promise((_, reject) => {
            document.title = options?.mediation ?? '';
            options?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
          });
      }),
  });
  await page.getByRole('button', { name: SIGN_IN }).click();
  await expect.poll(() => page.title()).toBe('optional');
  await page.evaluate('says()');
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await page.locator('button[aria-busy=true]', { hasText: SIGN_IN }).count()).toBe(1);
  expect(await page.title()).toBe('optional');
});
