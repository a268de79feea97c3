/** The buttons and the offer of passkeys, when the network or the server fails. */
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
])('%s: a refused passkey has the id of its request, and a wait counts down', async (state, path, name) => {
  const api: Api = { [path]: problem(500, { code: 'internal' }) };
  const { page } = await visit(world, shown(state), { api });
  const button = page.getByRole('button', { name, exact: true });
  await button.click();
  await page.getByText('01JD3K8V5Q').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0); // the button itself does it
  api[path] = problem(429, { code: 'throttle.limited', retry_after: 2 });
  await button.click();
  await page.getByText('Try again in 1 second.').waitFor({ timeout: 20_000 });
  await page.getByText('You can try again now.').waitFor({ timeout: 20_000 });
});

test('a passkey of the second step needs no more files', async () => {
  const api: Api = { [ASK]: problem(503, { code: 'unavailable' }) };
  const { page } = await visit(world, shown('mfa/passkey'), { api });
  await page.route('**/auth/assets/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('This is temporarily unavailable.').waitFor();
});

test('a press on a passkey does not lead into the form', async () => {
  const { page } = await visit(world, shown('signin/idle'), { alone: true });
  const button = page.getByRole('button', { name: SIGN_IN });
  await button.click();
  await page.locator('button[aria-busy=true]').waitFor();
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
});
