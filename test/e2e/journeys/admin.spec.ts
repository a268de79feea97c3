import type { Page } from '@playwright/test';
import { withPasskey } from '../support/passkey.js';
import {
  alive,
  button,
  field,
  fillSignIn,
  lastButton,
  link,
  open,
  signIn,
  signUp,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';
import type { World } from '../support/world.js';

// The page of administration on the real server: how somebody becomes an administrator, finds a person, and acts.

const PEOPLE = '/auth/admin/people';

/** A signed-in administrator with a passkey. */
async function administrator(page: Page, world: World) {
  const admin = await world.member('admin');
  world.portico.command(['user', 'add-role', admin.email, 'portico:admin']);
  const device = await withPasskey(page, admin);
  return { admin, device };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** Finds a person by the whole address and opens their page. */
async function find(page: Page, email: string) {
  await page.getByLabel('Search people').fill(email);
  await expect(page.locator('tbody tr')).toHaveCount(1);
  await page.getByRole('link', { name: email }).click();
  await expect(heading(page, email)).toBeVisible();
}

test('an administrator finds a person, sees what happened, and signs them out and disables them', async ({
  page,
  openBrowser,
  world,
}) => {
  const { device } = await administrator(page, world);
  const person = await world.member('noor');
  const other = await openBrowser();
  await open(other, '/auth/signin');
  await fillSignIn(other, person);
  await button(other, 'Login').click();
  await expect(heading(other, 'Your account')).toBeVisible();

  await page.goto(PEOPLE);
  if (!page.url().includes(PEOPLE)) await button(page, 'Use a passkey').click();
  await expect(heading(page, 'People')).toBeVisible();
  await find(page, person.email);
  await expect(page.getByText('Signed in').first()).toBeVisible();
  await expect(page.getByText('The account was made')).toHaveCount(0); // "Signed up" says it
  await expect(page.getByRole('region', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(2);

  await world.mailbox.next(person.email, /new|New/);
  const mails = world.mailbox.to(person.email).length;
  await page.getByRole('button', { name: 'Actions for' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await lastButton(page, 'Disable').click();
  await expect(page.getByText(/is disabled\.$/)).toBeVisible();
  await expect(page.getByText('The account is disabled.')).toBeVisible();
  await expect.poll(() => world.mailbox.to(person.email).length, 'the email about it').toBeGreaterThan(mails);
  await other.goto('/auth/account');
  await expect(heading(other, 'Your account')).toHaveCount(0);
  expect(await device.held()).toHaveLength(1);
});

test('a change without a proof asks for it in a window, and is then sent as it was typed', async ({
  page,
  world,
}) => {
  const { device } = await administrator(page, world);
  const person = await world.member('noor');
  await page.goto(PEOPLE);
  await find(page, person.email);
  await page.getByRole('button', { name: 'Edit' }).click();
  await field(page, 'Roles').fill('staff, wiki');
  let answered = false; // ten minutes later: the server would refuse
  await page.route('**/auth/api/admin/people/*/roles', async (route) => {
    if (answered) return route.continue();
    answered = true;
    await route.fulfill({
      status: 401,
      json: { status: 401, code: 'proof.needed', params: { reason: 'factor' } },
    });
  });
  await button(page, 'Save').click();
  await device.provesBeside(button(page, 'Continue'));
  await expect(page.getByText('The changes are saved.')).toBeVisible();
  await expect(page.locator('.tag', { hasText: 'wiki' })).toBeVisible();
  expect(world.portico.command(['user', 'show', person.email])).toContain('wiki');
});

test('a page of an administrator does nothing as somebody who signs in in another tab', async ({
  page,
  context,
  world,
}) => {
  await administrator(page, world);
  const other = await world.member('noor');
  await page.goto('/auth/admin/keys');
  await button(page, 'New key').click();
  await field(page, 'Name').fill('HR import');
  await page.getByLabel('people:read').check();
  await context.clearCookies();
  await signIn(await context.newPage(), other);
  await button(page, 'Make the key').click();
  const dialog = page.getByRole('dialog'); // the list behind it says the same
  await expect(dialog.getByText('Another account is signed in now. Reload the page.')).toBeVisible();
  await expect(field(page, 'Name')).toHaveValue('HR import');
});

test('an administrator changes many at once, and a closed page does not stop it', async ({ page, world }) => {
  const { admin } = await administrator(page, world);
  const people = [await world.member('noor'), await world.member('ines')];
  await page.goto(PEOPLE);
  for (const { email } of [admin, ...people])
    await page.getByRole('row').filter({ hasText: email }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Actions for the selected people' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await expect(page.getByRole('heading', { name: 'Disable: 2 people' })).toBeVisible();
  await expect(page.getByText(`${admin.email}: is you`)).toBeVisible();
  await lastButton(page, 'Disable').click();
  await expect(page.getByText('The job has begun.')).toBeVisible();
  await page.goto('/auth/account');
  await expect
    .poll(() => people.map(({ email }) => world.portico.command(['user', 'show', email])).join())
    .toMatch(/disabled.*,.*disabled/s);
  await page.goto(PEOPLE);
  await expect(page.getByText(/Done, 3 of 3 people/)).toBeVisible();
  await expect(page.getByText('1 of 3 skipped')).toBeVisible();
  for (const { email } of people) await world.mailbox.next(email, /disabled|changed|account/i);

  await page.getByLabel(/^Select all/).check();
  await page.getByRole('button', { name: 'Actions for the selected people' }).click();
  await page.getByRole('menuitem', { name: 'Give a role' }).click();
  await field(page, 'Role').last().fill('staff');
  await lastButton(page, 'Go on').click();
  await lastButton(page, 'Give a role').click();
  await expect(page.getByRole('region', { name: 'Job: Give the role staff' })).toContainText('Done');
  await expect(page.getByRole('row').filter({ hasText: admin.email })).toContainText('staff');
});

test('an administrator makes a key, a program uses it, and after its end it is refused', async ({
  page,
  world,
}) => {
  const { admin } = await administrator(page, world);
  const person = await world.member('noor');
  await page.goto('/auth/admin/keys');
  await button(page, 'New key').click();
  await field(page, 'Name').fill('HR import');
  await page.getByLabel('people:read').check();
  await button(page, 'Make the key').click();
  const secret = (await page.locator('.secret code').textContent()) ?? '';
  await button(page, 'I have copied it').click();
  await expect(page.getByText('The key HR import works.')).toBeVisible();
  await world.mailbox.next(admin.email, /changed|account/i);

  const call = async (path: string) => {
    const answer = await page.request.get(`/auth/api/admin/${path}`, {
      headers: { authorization: `Bearer ${secret}`, cookie: '' },
    });
    return { status: answer.status(), text: await answer.text() };
  };
  const found = await call(`people?by=address&q=${encodeURIComponent(person.email)}`);
  expect(found.status).toBe(200);
  expect(found.text).toContain(person.email);
  expect((await call('record')).text).toContain('key.scope');
  await page.reload();
  const row = page.getByRole('row').filter({ hasText: 'HR import' });
  await expect(row).toContainText(/127\.0\.0\.1|::1/);
  expect(await page.content()).not.toContain(secret);

  await row.getByRole('button', { name: 'Actions for HR import' }).click();
  await page.getByRole('menuitem', { name: 'End the key' }).click();
  await lastButton(page, 'End the key').click();
  await expect(page.getByText('The key HR import has ended.')).toBeVisible();
  expect((await call('people')).text).toContain('key.unknown');
});

test('a user without the role finds no page, and one without a passkey is led to add one', async ({
  page,
  guard,
  world,
}) => {
  guard.allow(/404/);
  const reach = async (member: Awaited<ReturnType<World['member']>>) => {
    await open(page, '/auth/signin');
    await fillSignIn(page, member);
    await button(page, 'Login').click();
    await expect(heading(page, 'Your account')).toBeVisible();
    return page.goto(PEOPLE);
  };
  expect((await reach(await world.member('noor')))?.status()).toBe(404);
  await page.context().clearCookies();
  const admin = await world.member('admin');
  world.portico.command(['user', 'add-role', admin.email, 'portico:admin']);
  await reach(admin);
  await expect(page).toHaveURL(/\/auth\/account\/factors/);
  await link(page, 'Create a passkey instead').click();
  await expect(heading(page, 'Passkeys')).toBeVisible();
});

test('a narrow window has everything, and the page of an administrator is loaded by nobody else', async ({
  page,
  world,
}) => {
  await administrator(page, world);
  await page.setViewportSize({ width: 360, height: 740 });
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto('/auth/account');
  await alive(page);
  expect(loaded.filter((url) => url.includes('admin'))).toEqual([]);
  await page.goto(PEOPLE);
  await expect(page.locator('tbody tr').first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

test('who gave this role: the record answers by the page alone', async ({ page, world }) => {
  const { admin } = await administrator(page, world);
  const person = await world.member('noor');
  await page.goto(PEOPLE);
  await find(page, person.email);
  await page.getByRole('button', { name: 'Edit' }).click();
  await field(page, 'Roles').fill('treasurer');
  await button(page, 'Save').click();
  await expect(page.getByText('The changes are saved.')).toBeVisible();

  await page.getByRole('link', { name: 'Record', exact: true }).click();
  await expect(heading(page, 'Record')).toBeVisible();
  await page.getByLabel('Name, address or id of a person').fill(person.email);
  await page.getByLabel('Kind of event').selectOption({ label: 'The roles were changed' });
  const event = page.locator('tbody tr');
  await expect(event).toHaveCount(1);
  await expect(event).toContainText('treasurer');
  await expect(event).toContainText('by the administrator');
  await event.getByRole('link', { name: `Only what ${admin.email} did` }).click();
  await expect(
    page.getByRole('link', { name: `Remove the filter Changed by: ${admin.email}` }),
  ).toBeVisible();
  await expect(event).toHaveCount(1);

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('record.csv');
  expect(world.portico.command(['audit', 'export', '--event', 'record_exported'])).toContain(
    '"actor":"admin:',
  );
});

test('the system page has the checks of the server, its node and its signing key', async ({
  page,
  world,
}) => {
  await administrator(page, world);
  await page.goto('/auth/admin/system');
  await expect(heading(page, 'System')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Checks' })).toContainText('database');
  await expect(page.getByRole('region', { name: 'Signing keys' }).getByRole('listitem')).not.toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Emails' })).toBeVisible();
});

test('three are invited, of whom one may be, and the invitation is shown as used', async ({
  page,
  openBrowser,
  world,
}) => {
  await administrator(page, world);
  const [known, guest] = [await world.member('noor'), world.stranger('gast')];
  await page.goto('/auth/admin/invitations');
  await button(page, 'Invite people').click();
  await field(page, 'Addresses').fill(`${guest.email}\nno address\n${known.email}`);
  await field(page, 'Roles').fill('staff');
  await field(page, 'Your text in the email').fill('See you on Monday.');
  await button(page, 'Check the list').click();
  const judged = page.getByRole('dialog').getByRole('listitem');
  await expect(judged).toContainText(['is not an address', 'has an account', 'will be invited']);
  await button(page, 'Send 1 invitation').click();
  const row = page.getByRole('row').filter({ hasText: guest.email });
  await expect(row).toContainText(/Sent|Delivered/);

  const mail = await world.mailbox.next(guest.email, /invited/);
  expect(mail.text).toContain('See you on Monday.');
  const invited = await openBrowser();
  await open(invited, mail.link);
  await expect(field(invited, 'Email')).toHaveValue(guest.email);
  await expect(field(invited, 'Email')).not.toBeEditable();
  await field(invited, 'Password').fill(guest.password);
  await field(invited, 'Confirm Password').fill(guest.password);
  await button(invited, 'Create account').click();
  await expect(heading(invited, 'Your account')).toBeVisible();
  await page.reload();
  await expect(row).toContainText('Used');
  expect(world.portico.command(['user', 'show', guest.email])).toContain('staff');
});

test('an account that waits is approved, and the apps say what it may open', async ({
  openBrowser,
  world,
}) => {
  const portico = await world.anotherPortico({
    settings: `[[app]]
name = "team"
path = "/team"
upstream = "http://127.0.0.1:9"
rules = ["role:staff /team/plans/*", "signed-in /team/*"]

[signup]
mode = "approved"
`,
  });
  const browser = () => openBrowser({ baseURL: portico.origin });
  const [admin, guest] = [world.stranger('admin'), world.stranger('gast')];
  portico.command(['user', 'create', admin.email, '--password'], `${admin.password}\n`);
  portico.command(['user', 'add-role', admin.email, 'portico:admin']);
  const waiting = await browser();
  await signUp(waiting, guest);
  await field(waiting, '6-digit code').fill((await world.mailbox.next(guest.email)).code);
  await expect(heading(waiting, 'Your account is waiting for approval')).toBeVisible();

  const page = await browser();
  await withPasskey(page, admin);
  await page.goto('/auth/admin/invitations');
  await page.getByRole('link', { name: 'Look at them' }).click();
  await page.getByRole('button', { name: `Actions for ${guest.email}` }).click();
  await page.getByRole('menuitem', { name: 'Approve' }).click();
  await lastButton(page, 'Approve').click();
  await expect(page.getByText(/is approved\.$/)).toBeVisible();
  await world.mailbox.next(guest.email, /approved|ready/i);
  await open(waiting, '/auth/signin');
  await fillSignIn(waiting, guest);
  await button(waiting, 'Login').click();
  await expect(heading(waiting, 'Your account')).toBeVisible();

  await page.goto('/auth/admin/apps');
  await page.getByRole('button', { name: /^Explain/ }).click();
  await field(page, 'Address of the person').fill(guest.email);
  await button(page, 'Explain').click();
  const told = page.getByRole('dialog');
  await expect(told).toContainText('role:staff /team/plans/*: The person is refused');
  await expect(told).toContainText('signed-in /team/*: The person passes');
});
