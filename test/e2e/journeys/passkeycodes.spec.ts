import type { Page } from '@playwright/test';
import { Authenticator, addPasskey, leave, withoutOffer, withPasskey } from '../support/passkey.js';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  forgot,
  link,
  open,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

// An account without an authenticator app, whose owner has lost the only passkey.

const shownCodes = (page: Page) =>
  page.getByRole('list', { name: 'Your recovery codes' }).locator('code').allInnerTexts();

/** Follows the hint on the page of the passkeys, and saves recovery codes. */
async function makeCodes(page: Page): Promise<string[]> {
  await open(page, '/auth/account/passkeys');
  await link(page, 'Get recovery codes').click();
  await expectScreen(page, 'Two-step verification');
  await alive(page);
  await button(page, 'Get recovery codes').click();
  await expectScreen(page, 'Save your recovery codes');
  await alive(page);
  const codes = await shownCodes(page);
  expect(codes).toHaveLength(10);
  await button(page, "I've saved them").click();
  await expect(page.getByText('Codes left: 10.')).toBeVisible();
  await open(page, '/auth/account/passkeys');
  await expect(link(page, 'Get recovery codes')).toBeHidden();
  return codes;
}

/** Gives a recovery code where the passkey is asked for. */
async function giveCode(page: Page, code = ''): Promise<void> {
  await expectScreen(page, "Confirm it's you");
  await link(page, 'Use a recovery code instead').click();
  await expect(field(page, 'Recovery code')).toBeVisible();
  await alive(page);
  await field(page, 'Recovery code').fill(code);
  await button(page, 'Continue').click();
}

/** Adds a passkey on a new device in place of the lost one. The recovery codes stay. */
async function replacePasskey(page: Page, left: number): Promise<void> {
  const device = await Authenticator.plugInto(page);
  await addPasskey(page);
  expect(await device.held()).toHaveLength(1);
  const entries = page.getByText('Rename or remove');
  await expect(entries).toHaveCount(2);
  await alive(page);
  await entries.last().click();
  await button(page, 'Remove this passkey').last().click();
  await expect(page.getByText('The passkey is removed.')).toBeVisible();
  await expect(entries).toHaveCount(1);
  await open(page, '/auth/account/factors');
  await expect(page.getByText(`Codes left: ${left}.`)).toBeVisible();
}

test('an owner with a password replaces a lost passkey with a recovery code', async ({ page, world }) => {
  const person = await world.member();
  const lost = await withPasskey(page, person);
  const [first, second] = await makeCodes(page);
  await world.mailbox.next(person.email, /^New recovery codes/);
  await lost.unplug();
  await withoutOffer(page);
  await leave(page);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
  await alive(page);
  await link(page, 'Passkeys').click(); // a change, for which the password is not enough
  await giveCode(page, first);
  await expectScreen(page, 'Passkeys');
  await world.mailbox.next(person.email, /^A recovery code/);
  await replacePasskey(page, 9);

  await page.context().clearCookies();
  await open(page, '/auth/signin');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
  await alive(page);
  await link(page, 'Passkeys').click();
  await giveCode(page, first);
  await expect(page.getByText('Wrong code. 4 attempts left.')).toBeVisible();
  await alive(page);
  await field(page, 'Recovery code').fill(second ?? '');
  await button(page, 'Continue').click();
  await expectScreen(page, 'Passkeys');
});

test('an owner without a password gets in by email, and replaces a lost passkey with a recovery code', async ({
  page,
  world,
}) => {
  const { email, password } = world.stranger();
  const lost = await Authenticator.plugInto(page);
  await open(page, '/auth/signup');
  await field(page, 'Email').fill(email);
  await button(page, 'Sign up with a passkey').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await field(page, '6-digit code').fill((await world.mailbox.next(email)).code);
  await expectScreen(page, 'Create your passkey');
  await alive(page);
  await button(page, 'Create a passkey').click();
  await expectScreen(page, 'Your account');
  const [code] = await makeCodes(page);
  await lost.unplug();
  await withoutOffer(page);
  await page.context().clearCookies();
  await forgot(page, email);
  await page.keyboard.type((await world.mailbox.next(email, /password reset code/)).code);
  await expectScreen(page, 'Choose a new password');
  await alive(page);
  await field(page, 'New password').fill(password);
  await field(page, 'Confirm Password').fill(password);
  await button(page, 'Save password').click();
  await expectScreen(page, 'Your account');
  await alive(page);
  await link(page, 'Passkeys').click();
  await giveCode(page, code);
  await expectScreen(page, 'Passkeys');
  await replacePasskey(page, 9);
});

test('where a second factor is needed, a recovery code signs in after the password', async ({
  page,
  world,
}) => {
  const portico = await world.requiring('14d');
  const at = (path: string) => `${portico.origin}${path}`;
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  const lost = await Authenticator.plugInto(page);
  await withoutOffer(page);
  const enter = async () => {
    await open(page, at('/auth/signin'));
    await fillSignIn(page, person);
    await button(page, 'Login').click();
  };
  await enter();
  await expectScreen(page, 'Set up a second step');
  await alive(page);
  await button(page, 'Create a passkey instead').click();
  await expectAccount(page, person);
  await open(page, at('/auth/account/factors'));
  await button(page, 'Get recovery codes').click();
  await expectScreen(page, 'Save your recovery codes');
  const [code] = await shownCodes(page);
  await lost.unplug();
  await page.context().clearCookies();
  await enter();
  await giveCode(page, code);
  await expectAccount(page, person);
  await Authenticator.plugInto(page);
  await open(page, at('/auth/account/passkeys')); // the code is proof enough
  await button(page, 'Add a passkey').click();
  await expect(page.getByText('Passkey added.')).toBeVisible();
});
