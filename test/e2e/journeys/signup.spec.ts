import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  fillSignUp,
  link,
  open,
  signIn,
  signUp,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

test('a new user signs up with the emailed code', async ({ page, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  await expect(page.getByText('Enter the 6-digit code sent to your email address')).toBeVisible();
  const mail = await world.mailbox.next(person.email);
  expect(mail.subject).toBe(`${mail.code} is your Portico code`);
  await field(page, '6-digit code').fill(mail.code);
  await expectAccount(page, person);
});

test('a new user signs up with the emailed link', async ({ page, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const mail = await world.mailbox.next(person.email);
  await open(page, mail.link);
  await expectScreen(page, 'Confirm your email address');
  await expect(page.getByText(person.email)).toBeVisible(); // in full: it was typed here
  expect(page.url(), 'no token in the address bar').toBe(`${world.portico.origin}/auth/confirm-link`);
  await page.reload();
  await alive(page);
  await button(page, 'Confirm address').click();
  await expectAccount(page, person);
  await open(page, mail.link);
  await expectScreen(page, 'This link has already been used');
});

test('a link opened elsewhere goes on without the chosen password', async ({ page, openBrowser, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const { link: mailed } = await world.mailbox.next(person.email);
  const elsewhere = await openBrowser();
  await open(elsewhere, mailed);
  await button(elsewhere, 'Choose a password').click();
  await expectScreen(elsewhere, 'Choose a password');
  await field(elsewhere, 'New password').fill('seven hills under a paper lantern');
  await field(elsewhere, 'Confirm Password').fill('seven hills under a paper lantern');
  await button(elsewhere, 'Save password').click();
  await expectAccount(elsewhere, person);
});

test('a link opened elsewhere asks for the chosen password', async ({ page, openBrowser, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const { link: mailed } = await world.mailbox.next(person.email);
  const elsewhere = await openBrowser();
  await open(elsewhere, mailed);
  await expect(elsewhere.getByText('This sign-up was started in another browser.')).toBeVisible();
  await button(elsewhere, 'Confirm address').click();
  await expect(elsewhere.getByText('Enter your password.')).toBeVisible();
  await field(elsewhere, 'Password').fill('a password of somebody else');
  await button(elsewhere, 'Confirm address').click();
  await expect(elsewhere.getByText("That's not the password you chose.")).toBeVisible();
  await expect(field(elsewhere, 'Password')).toBeFocused();
  await field(elsewhere, 'Password').fill(person.password);
  await button(elsewhere, 'Confirm address').click();
  await expectAccount(elsewhere, person);
});

test('an unacceptable password is refused with a reason, and typed text stays', async ({ page, world }) => {
  const { email } = world.stranger();
  await open(page, '/auth/signup');
  await button(page, 'Create account').click();
  await expect(page.getByText('Enter your email address.', { exact: true })).toBeVisible();
  await expect(page.getByText('Enter your password.')).toBeVisible();
  await expect(field(page, 'Email')).toBeFocused();

  await fillSignUp(page, { email, password: 'short' });
  await button(page, 'Create account').click();
  await expect(page.getByText('Use at least 8 characters.')).toBeVisible();

  await fillSignUp(page, { email, password: 'password1' });
  await button(page, 'Create account').click();
  await expect(page.getByText('This password appeared in a data breach')).toBeVisible();
  await expect(field(page, 'Password')).toBeFocused();
  await expect(field(page, 'Email')).toHaveValue(email);

  await field(page, 'Password').fill('violet harbour lantern');
  await field(page, 'Confirm Password').fill('violet harbour lamp');
  await button(page, 'Create account').click();
  await expect(page.getByText("Passwords don't match.")).toBeVisible();
});

test('an address with an account gets the same page and another email', async ({ page, world }) => {
  const person = await world.member();
  await signUp(page, { ...person, password: 'another amber harbour' });
  await expect(page.getByText('Enter the 6-digit code sent to your email address')).toBeVisible();
  const mail = await world.mailbox.next(person.email);
  expect(mail.subject).toBe('You already have an account with Portico');
  expect(mail.code).toBe('');
  await signIn(page, person);
});

test('a user who signs in before proving the address must prove it, in this browser only', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = world.stranger();
  await signUp(page, person);
  await world.mailbox.next(person.email);
  const elsewhere = await openBrowser();
  await open(elsewhere, '/auth/signin');
  await fillSignIn(elsewhere, person);
  await button(elsewhere, 'Login').click();
  await expect(elsewhere.getByRole('alert')).toHaveText('Wrong email or password.');

  await open(page, '/auth/signin');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await expectAccount(page, person);
});

test('a double click makes one email and one account', async ({ page, world }) => {
  const person = world.stranger();
  await open(page, '/auth/signup');
  await fillSignUp(page, person);
  await button(page, 'Create account').dblclick();
  await expectScreen(page, 'Verify your code');
  const { code } = await world.mailbox.next(person.email);
  await alive(page);
  await field(page, '6-digit code').fill(code);
  await expectAccount(page, person);
  await world.member(); // a later email has come, so a second one would be here
  expect(world.mailbox.to(person.email)).toHaveLength(1);
});

test('the way back to the app goes along through the screens', async ({ page, world }) => {
  const target = `${world.app.origin}/reports?page=2`;
  const person = world.stranger();
  await open(page, `/auth/signin?return_to=${encodeURIComponent(target)}`);
  await link(page, 'Sign up').click();
  await expectScreen(page, 'Create an account');
  await link(page, 'Sign in').click();
  await expectScreen(page, 'Sign in');
  await link(page, 'Forgot your password?').click();
  await expectScreen(page, 'Reset your password');
  await link(page, 'Back to sign in').click();
  await link(page, 'Sign up').click();
  await expectScreen(page, 'Create an account');
  await alive(page);
  await fillSignUp(page, person);
  await button(page, 'Create account').click();
  await expectScreen(page, 'Verify your code');
  const { link: mailed } = await world.mailbox.next(person.email);
  await open(page, mailed);
  await button(page, 'Confirm address').click();
  await expect(page).toHaveURL(target);
});

test('the page after the code does not learn the id of the flow', async ({ page, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const next = page.waitForRequest('**/auth/account');
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  expect((await (await next).allHeaders())['referer'] ?? '').not.toContain('flow=');
  await expectAccount(page, person);
});

test('no redirect leads to a foreign site', async ({ page, world }) => {
  const person = await world.member();
  for (const foreign of [
    'https://evil.test/',
    '//evil.test/',
    '/\\evil.test',
    `${world.app.origin}.evil.test/`,
  ]) {
    await open(page, `/auth/signin?return_to=${encodeURIComponent(foreign)}`);
    await fillSignIn(page, person);
    await button(page, 'Login').click();
    await expectAccount(page, person);
  }
});
