/** Proofs on the page of administration, and the end of a session. */
import { expect, test } from 'vitest';
import { installation } from '../fixtures/admin.mjs';
import { act, open, page, refused, row, settled, world } from './admin';
import { violations } from './axe';

test('a change without a proof asks for it in a window, and what was typed is sent after it', async () => {
  const fake = await open('people/p1', installation({ proven: false }));
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Jonas W.');
  await page.getByLabel('Roles').fill('portico:admin');
  Object.assign(fake.people[1] ?? {}, { roles: ['staff', 'of another admin'] }); // meanwhile
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  expect(await violations(page)).toEqual([]);
  const opened = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Continue' }).click();
  const popup = await opened;
  expect(new URL(popup.url()).pathname).toBe('/auth/mfa');
  const back = new URL(popup.url()).searchParams.get('return_to') ?? '';
  expect(back).toBe('/auth/admin/people/p1#proven');
  fake.proven = true;
  const closed = popup.waitForEvent('close');
  await popup.goto(world.origin + back).catch(() => {}); // it closes itself
  await closed;
  await page.getByText('The changes are saved.').waitFor();
  expect(fake.changes.map(({ path, body }) => [path.split('/').at(-1), body])).toEqual([
    ['name', { name: 'Jonas W.' }],
    ['roles', { give: ['portico:admin'], take: ['staff'] }],
  ]);
  await page.getByRole('heading', { level: 1, name: 'Jonas W.' }).waitFor();
  expect(fake.people[1]?.roles).toEqual(['of another admin', 'portico:admin']);
});

test('a session that ended asks for a sign-in, and the page goes on', async () => {
  let ended = true;
  await open('people', installation(), 1280, async (route, path) => {
    if (!ended || !path.includes('/people')) return false;
    await route.fulfill(refused('session.required', 401));
    return true;
  });
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
  ended = false;
  const other = await page.context().newPage();
  await other.goto(`${world.origin}/auth/admin/people#proven`).catch(() => {});
  await row('mara@').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('after a sign-out the page shows nobody, and who does not sign in loses only what is no text of a window', async () => {
  let ended = false;
  await open('people/p1', installation(), 1280, async (route) => {
    if (ended) await route.fulfill(refused('session.required', 401));
    return ended;
  });
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Jonas W.');
  ended = true;
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.waitFor();
  const behind = await dialog.evaluate((it) => getComputedStyle(it, '::backdrop').backgroundColor);
  expect(behind).not.toMatch(/rgba|none|\//);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('You are signed out.').first().waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Jonas W.');
  ended = false;
  await page.goto(`${world.origin}/auth/admin/people`);
  await settled();
  ended = true;
  await page.getByRole('link', { name: 'Next' }).click();
  await dialog.waitFor();
  const again = page.waitForEvent('load');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await again;
});

test('a page that Back shows after a sign-out is loaded anew', async () => {
  await open('people');
  await settled();
  await page.route('**/auth/api/session', (route) => route.fulfill(refused('session.required', 401)));
  const again = page.waitForEvent('load');
  await page.evaluate(() => {
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    if (document.documentElement.style.visibility !== 'hidden') throw new Error('it is shown');
  });
  await again;
});

test('the page does nothing for another account that signs in meanwhile, and keeps what was typed', async () => {
  let changed = false;
  const shownFor: (string | undefined)[] = [];
  const fake = await open('keys', installation(), 360, async (route) => {
    shownFor.push(route.request().headers()['portico-account']);
    if (changed) await route.fulfill(refused('account.changed', 409));
    return changed;
  });
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('Sync');
  changed = true;
  await page.getByRole('button', { name: 'Make the key' }).click();
  const dialog = page.getByRole('dialog'); // the list behind it says the same
  await dialog.getByText('Another account is signed in now. Reload the page.').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Sync');
  expect(await violations(page)).toEqual([]);
  expect(new Set(shownFor)).toEqual(new Set(['p0']));
  expect(fake.changes).toEqual([]);
});

test('a canceled proof changes nothing and says so', async () => {
  const fake = await open('people/p1', installation({ proven: false }));
  await act('Jonas Weber', 'Lift the limits');
  await page.getByRole('button', { name: 'Lift the limits' }).last().click();
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('The confirmation was canceled, so nothing was done.').waitFor();
  expect(fake.changes).toEqual([]);
});
