/** The buttons and the offer of passkeys, when the network or the server fails. */
import { afterAll, beforeAll, test } from 'vitest';
import { type Api, openWorld, problem, shown, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ASK = '/auth/api/passkey/ask';

test('a passkey of the second step needs no more files', async () => {
  const api: Api = { [ASK]: problem(503, { code: 'unavailable' }) };
  const { page } = await visit(world, shown('mfa/passkey'), { api });
  await page.route('**/auth/assets/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('This is temporarily unavailable.').waitFor();
});
