/** API keys on the page of administration. */
import type { Locator } from 'playwright';
import { expect, test } from 'vitest';
import { installation } from '../fixtures/admin.mjs';
import { act, complaints, open, page, refused, sideways } from './admin';
import { violations } from './axe';

test('a key is made with its scopes, its secret is shown once, and a rotation keeps the old one until it is ended', async () => {
  const fake = installation();
  await open('keys', fake, 360);
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.locator('dialog.ask');
  expect.soft(await violations(page), 'the window').toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  const [ends, below] = await Promise.all(
    ['#ask-ends_at', '.ask-end'].map((it) => dialog.locator(it).boundingBox()),
  );
  expect.soft((ends?.y ?? 0) + (ends?.height ?? 0), 'the last field').toBeLessThan(below?.y ?? 0);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  expect
    .soft(
      await page.locator('dialog[open]').evaluate((it) => it.scrollWidth - it.clientWidth),
      'text of 200 %',
    )
    .toBe(0);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '';
  });
  await page.setViewportSize({ width: 360, height: 900 });
  await dialog.getByLabel('Name').fill('Sync');
  await dialog.getByRole('button', { name: 'Make the key' }).click();
  await dialog
    .getByRole('group', { name: 'What it may do' })
    .getByText('Choose what the key may do.')
    .waitFor();
  await expect.poll(() => dialog.getByLabel('people:read').evaluate((it) => it.matches(':focus'))).toBe(true);
  expect.soft(await violations(page), 'a refused field').toEqual([]);
  await dialog.getByLabel('people:read').check();
  await dialog.getByLabel('Ends').fill('2099-01-31');
  await dialog.getByRole('button', { name: 'Make the key' }).click();
  await dialog.getByText('It is not shown again').waitFor();
  const ends_at = new Date('2099-01-31T00:00').toISOString();
  expect.soft(fake.changes.at(-1)?.body).toMatchObject({ name: 'Sync', scopes: ['people:read'], ends_at });
  expect.soft(await dialog.locator('.secret code').textContent()).toMatch(/^portico_key_/);
  expect.soft(await dialog.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  expect.soft(await violations(page), 'the secret').toEqual([]);
  expect.soft(await sideways(), 'the secret at 360 px').toBe(0);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('The key Sync works.').waitFor();
  await page.getByText(/portico_key_/).waitFor({ state: 'detached' });
  expect.soft(await page.evaluate(() => document.activeElement?.textContent)).toBe('New key');

  await page.getByRole('button', { name: 'Actions for HR import' }).press('Enter');
  await page.getByRole('menuitem', { name: 'New secret' }).press('Enter');
  await dialog.getByRole('button', { name: 'Make a new secret' }).press('Enter');
  await dialog.getByRole('button', { name: 'I have copied it' }).press('Enter');
  const row = page.locator('tr', { hasText: 'HR import' });
  await row.getByText('Two secrets').first().waitFor();
  await page.getByRole('button', { name: 'Actions for HR import' }).press('Enter');
  await page.getByRole('menuitem', { name: 'End the old secret' }).press('Enter');
  await dialog.getByRole('button', { name: 'End the old secret' }).press('Enter');
  await row.getByText('Works').first().waitFor();
  await page.getByRole('button', { name: 'Actions for HR import' }).press('Enter');
  await page.getByRole('menuitem', { name: 'End the key' }).press('Enter');
  await dialog.getByRole('button', { name: 'End the key' }).press('Enter');
  await row.getByText('Ended').first().waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.matches('tbody a'))).toBe(true);
  expect.soft(await page.getByRole('button', { name: 'Actions for Trial' }).count()).toBe(0);
  expect.soft(complaints).toEqual([]);
});

test('beside many scopes, an address and a network stay in one piece', async () => {
  const fake = installation();
  await open('keys', fake, 1280, async (route, path) => {
    if (!path.endsWith('/keys')) return false;
    const { keys, scopes } = fake.answer('GET', path, {}).body;
    const wide = keys.map((key: object) => ({ ...key, scopes, owner: 'mara.lindqvist@example.com' }));
    await route.fulfill({ json: { keys: wide, scopes } });
    return true;
  });
  const lines = (of: Locator) =>
    of.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size;
    });
  expect(await lines(page.locator('td.wide bdi').first())).toBe(1);
  expect(await lines(page.locator('td.wide .network').first())).toBe(1);
  expect(await sideways()).toBe(0);
});

test('a secret whose answer was lost is not made again by another press', async () => {
  const keys: (string | undefined)[] = [];
  await open('keys', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/rotate')) return false;
    keys.push(route.request().headers()['idempotency-key']);
    await (keys.length % 2 ? route.abort() : route.fulfill(refused('idempotency.lost', 409)));
    return true;
  });
  for (const _ of [1, 2]) {
    await act('HR import', 'New secret');
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByText('Portico does not answer').waitFor();
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByText('its answer was lost').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  }
  expect(keys[0]).toBeTruthy();
  expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2]]);
  expect(keys[2]).not.toBe(keys[0]); // of another window
});

test('a secret that the browser does not copy says so, and Escape does not lose it', async () => {
  await open('keys');
  await page.evaluate(() => {
    Object.defineProperty(navigator.clipboard, 'writeText', { value: () => Promise.reject(new Error()) });
  });
  await page.getByRole('button', { name: 'Actions for HR import' }).click();
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  await page.getByRole('button', { name: 'Copy the secret' }).click();
  await page.getByText('Your browser didn’t allow copying.').waitFor();
  await page.keyboard.press('Escape'); // by a slip
  await page.keyboard.press('Escape');
  await page.getByText('Copy it first, then press “I have copied it”.').waitFor();
  expect(await page.getByText('It is not shown again').isVisible()).toBe(true);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('It is not shown again').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});
