/** Invitations on the page of administration. */
import { expect, test } from 'vitest';
import { installation } from '../fixtures/admin.mjs';
import { act, complaints, focused, open, page, queryOf, refused, row } from './admin';
import { violations } from './axe';

test('a list is judged before anything is sent', async () => {
  const fake = await open('invitations');
  await page.getByRole('button', { name: 'Invite people' }).click();
  await page.getByLabel('Addresses').fill('noor@example.com\nnobody\nperson3@example.com\nnoor@example.com');
  await page.getByLabel('Roles').fill('staff, wiki');
  await page.getByRole('button', { name: 'Check the list' }).click();
  await page.getByRole('heading', { name: '1 invitation for 4 lines' }).waitFor();
  expect(await page.locator('.judged li').allInnerTexts()).toEqual([
    'nobody line 2\nis not an address',
    'person3@example.com line 3\nhas an account',
    'noor@example.com line 4\nis in the list twice',
    'noor@example.com line 1\nwill be invited',
  ]);
  expect(fake.changes).toEqual([]);
  await page.getByRole('button', { name: 'Back' }).click();
  expect(await page.getByLabel('Addresses').inputValue()).toMatch(/^noor@example.com\nnobody\n/);
  expect(await page.getByLabel('Roles').inputValue()).toBe('staff, wiki');
  await page.getByRole('button', { name: 'Check the list' }).click();
  await page.getByRole('button', { name: 'Send 1 invitation' }).click();
  await page.getByText('1 invitation on the way.').waitFor();
  expect(fake.changes[0]?.body).toMatchObject({ roles: ['staff', 'wiki'], text: '' });
  await row('noor@example.com').waitFor();
  expect(complaints).toEqual([]);
});

test('what could not be sent is counted', async () => {
  await open('invitations', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/invitations') || route.request().method() === 'GET') return false;
    const verdict = route.request().postDataJSON().try ? 'ok' : 'unsent';
    const lines = ['noor@example.com', 'mara@example.com', 'kim@example.com'];
    const judged = lines.map((address, n) => ({ line: n + 1, address, verdict: n ? verdict : 'ok' }));
    await route.fulfill({ json: { lines: judged } });
    return true;
  });
  await page.getByRole('button', { name: 'Invite people' }).click();
  await page.getByLabel('Addresses').fill('noor@example.com\nmara@example.com\nkim@example.com');
  await page.getByRole('button', { name: 'Check the list' }).click();
  await page.getByRole('button', { name: 'Send 3 invitations' }).click();
  await page.getByText('1 invitation on the way. 2 could not be sent. Send the list again.').waitFor();
});

test('what the server refuses of an invitation stays typed, with the focus on its field', async () => {
  await open('invitations', installation(), 360, async (route, path) => {
    if (!path.endsWith('/invitations') || route.request().method() === 'GET') return false;
    const fields = [{ name: 'roles', code: 'role.invalid', params: {} }];
    await route.fulfill({ status: 422, json: { ...refused('request.invalid', 422).json, fields } });
    return true;
  });
  await page.getByRole('button', { name: 'Invite people' }).click();
  await page.getByLabel('Addresses').fill('noor@example.com');
  await page.getByLabel('Roles').fill('Bad Role');
  await page.getByLabel('Your text in the email').fill('One line.\nTwo lines.');
  await page.getByRole('button', { name: 'Check the list' }).click();
  const why = page.getByText('A role has small letters');
  await why.waitFor();
  expect(await why.evaluate((it) => it.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
  const roles = page.getByRole('textbox', { name: 'Roles', description: 'A role has small letters' });
  expect(await roles.getAttribute('aria-invalid')).toBe('true');
  const [field, box] = await Promise.all([roles, why.locator('..')].map((it) => it.boundingBox()));
  expect(box?.y).toBeGreaterThan((field?.y ?? 0) + (field?.height ?? 0));
  await expect.poll(() => roles.evaluate((it: HTMLInputElement) => it.selectionEnd)).toBe('Bad Role'.length);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('ask-roles');
  expect(await page.getByLabel('Addresses').inputValue()).toBe('noor@example.com');
  expect(await page.getByLabel('Your text in the email').inputValue()).toBe('One line.\nTwo lines.');
  expect(await violations(page)).toEqual([]);
});

test('an invitation is sent again or ended, and a link for many is shown once', async () => {
  const fake = await open('invitations');
  expect(await row('guest3@example.com').textContent()).toContain('550 5.1.1 No such user');
  expect(await row('Link for many').textContent()).toContain('3 of 30');
  expect(await row('Link for the first administrator').textContent()).toContain('Ended');
  await act('guest1@example.com', 'Send again');
  await page.getByRole('button', { name: 'Send again' }).last().click();
  await page.getByText('A new invitation of guest1@example.com is on its way.').waitFor();
  await act('the link for many', 'End');
  await page.getByRole('dialog').waitFor();
  expect(await page.locator('.said').allTextContents()).toEqual(['', '']); // the same words again would not be read
  await page.getByRole('button', { name: 'End', exact: true }).last().press('Enter');
  await row('Link for many').getByText('Ended').last().waitFor();
  await expect.poll(focused).toBe('Actions for guest1@example.com');
  expect(fake.changes.map(({ path }) => path)).toEqual([
    '/auth/api/admin/invitations/i1/again',
    '/auth/api/admin/invitations/i0/end',
  ]);
  await page.getByRole('button', { name: 'Link for many' }).click();
  await page.getByLabel('End of the link').fill('2099-01-31');
  await page.getByRole('button', { name: 'Make the link' }).click();
  await page.getByText('confirm-link?token=abc').waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('The link works.').waitFor();
  const ends_at = new Date('2099-01-31T00:00').toISOString();
  expect(fake.changes[2]?.body).toMatchObject({ uses: '10', account_ends_at: '', ends_at });
});

test('a list of one line is counted as one', async () => {
  await open('invitations');
  await page.getByRole('button', { name: 'Invite people' }).click();
  await page.getByLabel('Addresses').fill('noor@example.com');
  await page.getByRole('button', { name: 'Check the list' }).click();
  await page.getByRole('heading', { name: '1 invitation for 1 line', exact: true }).waitFor();
});

test('a number that the server cannot read is refused in words', async () => {
  let code = 'field.value';
  await open('invitations', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/link')) return false;
    const fields = [{ name: 'uses', code, params: {} }];
    await route.fulfill({ status: 400, json: { ...refused('request.malformed', 400).json, fields } });
    return true;
  });
  await page.getByRole('button', { name: 'Link for many', exact: true }).click(); // a row has its actions
  const uses = page.getByLabel('Accounts that it can make');
  await uses.hover();
  await page.mouse.wheel(0, -100);
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await uses.inputValue()).toBe('10');
  await page.getByLabel('End of the link').fill('2027-01-31');
  await page.getByRole('button', { name: 'Make the link' }).click();
  await page.getByText('This value isn’t valid.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('ask-uses');
  expect(await page.getByText('Request 01JD3K8V5Q').count()).toBe(0); // it helps only with an error of the server,
  code = 'uses.odd'; // or with one that has no words
  await page.getByRole('button', { name: 'Make the link' }).click();
  await page.getByText('uses: uses.odd').waitFor();
  await page.getByText('Request 01JD3K8V5Q').waitFor();
});

test('invitations are filtered by state, which Back restores', async () => {
  await open('invitations');
  const state = page.getByLabel('State of the invitations');
  await state.selectOption('Not delivered');
  await row('guest2@example.com').waitFor({ state: 'detached' });
  expect(await page.locator('tbody tr').allTextContents()).toEqual([expect.stringContaining('guest3')]);
  expect(queryOf()).toBe('?state=refused');
  await page.getByRole('button', { name: 'Actions for guest3@example.com' }).click();
  await page.getByRole('menuitem', { name: 'End', exact: true }).click();
  await page.getByRole('button', { name: 'End', exact: true }).last().click();
  await page.getByText('No invitation is in this state').waitFor();
  await page.getByRole('link', { name: 'Show all invitations' }).click();
  await row('guest2@example.com').waitFor();
  await page.goBack();
  await expect.poll(() => state.inputValue()).toBe('refused');
  expect(await violations(page)).toEqual([]);
});

test('accounts that wait lead to the list of people, where they are approved', async () => {
  const fake = installation();
  Object.assign(fake.people[7] ?? {}, { state: 'waiting' });
  await open('invitations', fake);
  await page.getByRole('link', { name: 'Look at them' }).click();
  await page.waitForURL(/people\?state=waiting/);
  const name = fake.people[7]?.name ?? '';
  await act(name, 'Approve');
  await page.getByRole('button', { name: 'Approve', exact: true }).last().click();
  await page.getByText(`The account of ${name} is approved.`).waitFor();
  expect(fake.changes[0]?.path).toBe('/auth/api/admin/people/p7/enable');
});

test('a mailbox that has received too many emails is named, with the time of the next one', async () => {
  await open('invitations', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/again')) return false;
    await route.fulfill({ status: 429, json: { ...refused('code.held', 429).json, retry_after: 2401 } });
    return true;
  });
  await act('guest1@example.com', 'Send again');
  await page.getByRole('button', { name: 'Send again' }).last().click();
  await page.getByText('too many emails from administrators. Send the next one in 41 minutes.').waitFor();
});
