import type { Page } from '@playwright/test';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  forgot,
  link,
  open,
  signIn,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

async function choose(page: Page, password: string): Promise<void> {
  await expectScreen(page, 'Choose a new password');
  await alive(page);
  await field(page, 'New password').fill(password);
  await field(page, 'Confirm Password').fill(password);
  await button(page, 'Save password').click();
}

test('a forgotten password is replaced with the emailed code, and other browsers are signed out', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  const elsewhere = await openBrowser();
  await signIn(elsewhere, person);

  await open(page, '/auth/signin');
  await field(page, 'Email').fill(person.email);
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expectScreen(page, 'Reset your password');
  await expect(field(page, 'Email')).toHaveValue(person.email); // typed once is enough
  await alive(page);
  await button(page, 'Send reset link').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
  const { code } = await world.mailbox.next(person.email, /password reset code$/);
  await field(page, '6-digit code').fill(code);
  await choose(page, 'a fresh amber orchard');
  await expectAccount(page, person);
  await world.mailbox.next(person.email, /^Your Portico password was changed$/);

  await elsewhere.reload();
  await expectScreen(elsewhere, 'Sign in');
  await signIn(elsewhere, { ...person, password: 'a fresh amber orchard' });
});

test('an emailed link works in another browser', async ({ page, openBrowser, world }) => {
  const person = await world.member();
  await forgot(page, person.email);
  const mail = await world.mailbox.next(person.email);
  const elsewhere = await openBrowser();
  await open(elsewhere, mail.link);
  await expectScreen(elsewhere, 'Reset your password');
  await button(elsewhere, 'Continue').click();
  await expectScreen(page, 'Continue in your other browser'); // which learns of it by itself
  await choose(elsewhere, 'a fresh amber orchard');
  await expectAccount(elsewhere, person);
  await expectScreen(page, 'Password changed');
  await open(page, mail.link);
  await expectScreen(page, 'This link has already been used');
  await expect(page.getByText("If you've already chosen a new password, sign in with it.")).toBeVisible();
  await link(page, 'Get a new link').click();
  await expectScreen(page, 'Reset your password');
});

test('opening a link changes nothing: the code beside it still works', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  await forgot(page, person.email);
  const mail = await world.mailbox.next(person.email);
  await open(await openBrowser(), mail.link); // as mail scanners do
  await field(page, '6-digit code').fill(mail.code);
  await choose(page, 'a fresh amber orchard');
  await expectAccount(page, person);
});

test('the password of today is refused', async ({ page, world }) => {
  const person = await world.member();
  await forgot(page, person.email);
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await choose(page, person.password);
  await expect(page.getByText('This is your current password. Choose a new one.')).toBeVisible();
  await choose(page, 'a fresh amber orchard');
  await expectAccount(page, person);
});

test('an unknown address gets the same page, and the answer only by email', async ({ page, world }) => {
  const { email } = world.stranger();
  await forgot(page, email);
  await page.getByText('More help').click();
  await expect(page.getByText('If no account uses it, we send an email that says so')).toBeVisible();
  const mail = await world.mailbox.next(email);
  expect(mail.subject).toBe('No Portico account uses this email address');
  expect(mail.code + mail.link).toBe('');
});

test('a double click sends one email', async ({ page, world }) => {
  const { email } = await world.member();
  await open(page, '/auth/forgot-password');
  await field(page, 'Email').fill(email);
  await button(page, 'Send reset link').dblclick();
  await expectScreen(page, 'Verify your code');
  await world.mailbox.next(email);
  await world.member(); // a later email has come, so a second one would be here
  expect(world.mailbox.to(email).filter((mail) => mail.subject.includes('reset'))).toHaveLength(1);
});
