import type { Page } from '@playwright/test';
import {
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  fillSignUp,
  link,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

// The same journeys with scripts off: every form is a form.
test.use({ javaScriptEnabled: false });

async function signUp(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.goto('/auth/signup');
  await fillSignUp(page, person);
  await button(page, 'Create account').click();
  await expectScreen(page, 'Verify your code');
}

test('sign up with the code, sign out, sign in', async ({ page, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  await expect(field(page, '6-digit code')).toBeFocused();
  await page.keyboard.type((await world.mailbox.next(person.email)).code);
  await button(page, 'Verify').click();
  await expectAccount(page, person);
  await button(page, 'Sign out').click();
  await expectScreen(page, "You've signed out");
  await link(page, 'Sign in again').click();
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
});

test('sign up with the link, here and elsewhere', async ({ page, openBrowser, world }) => {
  const [here, there] = [world.stranger(), world.stranger()];
  await signUp(page, here);
  await page.goto((await world.mailbox.next(here.email)).link);
  await button(page, 'Confirm address').click();
  await expectAccount(page, here);

  await signUp(page, there);
  const elsewhere = await openBrowser({ javaScriptEnabled: false });
  await elsewhere.goto((await world.mailbox.next(there.email)).link);
  await field(elsewhere, 'Password').fill('not the right password');
  await button(elsewhere, 'Confirm address').click();
  await expect(elsewhere.getByText("That's not the password you chose.")).toBeVisible();
  await field(elsewhere, 'Password').fill(there.password);
  await button(elsewhere, 'Confirm address').click();
  await expectAccount(elsewhere, there);
});

test('errors appear at their fields, and typed text stays', async ({ page, world }) => {
  const person = await world.member();
  await page.goto('/auth/signin');
  await fillSignIn(page, { email: person.email, password: 'not the right password' });
  await button(page, 'Login').click();
  await expect(page.getByRole('alert')).toContainText('Wrong email or password.');
  await expect(field(page, 'Email')).toHaveValue(person.email);
  await expect(field(page, 'Password')).toHaveValue('');

  const { email } = world.stranger();
  await page.goto('/auth/signup');
  await fillSignUp(page, { email, password: 'password1' });
  await field(page, 'Confirm Password').fill('password2');
  await button(page, 'Create account').click();
  await expect(page.getByText('This password appeared in a data breach')).toBeVisible();
  await expect(page.getByText("Passwords don't match.")).toBeVisible();
  await expect(field(page, 'Email')).toHaveValue(email);
  await page.reload();
  await expectScreen(page, 'Create an account');
});

test('a forgotten password is replaced, after a wrong code', async ({ page, world }) => {
  const person = await world.member();
  await page.goto('/auth/forgot-password');
  await field(page, 'Email').fill(person.email);
  await button(page, 'Send reset link').click();
  await expectScreen(page, 'Verify your code');
  await expect(page.getByText('The code works for 10 minutes.')).toBeVisible();
  const { code } = await world.mailbox.next(person.email);
  await field(page, '6-digit code').fill(code === '000000' ? '000001' : '000000');
  await button(page, 'Verify').click();
  await expect(page.getByText('4 attempts left')).toBeVisible();
  await button(page, 'Resend').click();
  await expect(page.getByText(/You can get a new code in \d+ seconds\./)).toBeVisible();
  await field(page, '6-digit code').fill(code); // on the page of the refused form
  await button(page, 'Verify').click();
  await expectScreen(page, 'Choose a new password');
  await field(page, 'New password').fill('a fresh amber orchard');
  await field(page, 'Confirm Password').fill('a fresh amber tree');
  await button(page, 'Save password').click();
  await expect(page.getByText("Passwords don't match.")).toBeVisible();
  await field(page, 'New password').fill('a fresh amber orchard');
  await field(page, 'Confirm Password').fill('a fresh amber orchard');
  await button(page, 'Save password').click();
  await expectAccount(page, person);
});

test('the address of a refused form leads to its page', async ({ page, world }) => {
  await signUp(page, world.stranger());
  const address = page.url();
  await button(page, 'Resend').click();
  await expect(page.getByText(/You can get a new code in \d+ seconds\./)).toBeVisible();
  expect(page.url()).toBe(address.replace('?', '/resend?'));
  await page.goto(page.url());
  await expectScreen(page, 'Verify your code');
  expect(page.url()).toBe(address);
});

test('the link back to the app leaves the form', async ({ page, world }) => {
  const person = await world.member();
  const target = `${world.app.origin}/reports`;
  await page.goto(`/auth/signin?return_to=${encodeURIComponent(target)}`);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expect(page).toHaveURL(target);
});

test('a password cannot be shown without a script, so no button promises it', async ({ page }) => {
  for (const path of ['/auth/signin', '/auth/signup']) {
    await page.goto(path);
    await expect(page.getByRole('button', { name: 'Show password' })).toHaveCount(0);
  }
});

test('the code in the digits of another script', async ({ page, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const { code } = await world.mailbox.next(person.email);
  await field(page, '6-digit code').fill(code.replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(Number(digit))));
  await button(page, 'Verify').click();
  await expectAccount(page, person);
});

test('no app learns from the Referer which flow led to it', async ({ page, world }) => {
  const person = world.stranger();
  const referers: string[] = [];
  page.on('request', async (request) => {
    if (request.isNavigationRequest()) referers.push((await request.allHeaders())['referer'] ?? '');
  });
  await signUp(page, person);
  expect(page.url()).toContain('flow=');
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await button(page, 'Verify').click();
  await expectAccount(page, person);
  expect(referers.length).toBeGreaterThan(2);
  expect(referers.filter((referer) => referer.includes('flow='))).toEqual([]);
});
