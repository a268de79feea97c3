import type { Page } from '@playwright/test';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  lastButton,
  link,
  open,
  signIn,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

test('a member signs in, signs out and signs in again', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  await button(page, 'Sign out').click();
  await expectScreen(page, "You've signed out");
  await link(page, 'Sign in again').click();
  await expectScreen(page, 'Sign in');
  await alive(page);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
});

test('a wrong password and an unknown address get the same words', async ({ page, world }) => {
  const person = await world.member();
  for (const { email } of [person, world.stranger()]) {
    await open(page, '/auth/signin');
    await fillSignIn(page, { email, password: 'not this one' });
    await button(page, 'Login').click();
    await expect(page.getByRole('alert')).toHaveText('Wrong email or password.');
    await expect(field(page, 'Password')).toBeFocused();
    await expect(field(page, 'Email')).toHaveValue(email);
    await expect(field(page, 'Password')).toHaveValue('');
  }
});

test('empty fields are named, and the first one gets the focus', async ({ page }) => {
  await open(page, '/auth/signin');
  await button(page, 'Login').click();
  await expect(page.getByText('Enter your email address.', { exact: true })).toBeVisible();
  await expect(page.getByText('Enter your password.')).toBeVisible();
  await expect(field(page, 'Email')).toBeFocused();
  await page.keyboard.type('mara');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter a valid email address, like name@example.com.')).toBeVisible();
});

test('many wrong passwords are slowed down, with the time that is left', async ({ page, world }) => {
  const { email } = world.stranger();
  await open(page, '/auth/signin');
  const alert = page.getByRole('alert');
  for (let i = 1; i <= 5; i += 1) {
    await fillSignIn(page, { email, password: `wrong password ${i}` });
    await button(page, 'Login').click();
    await expect(button(page, 'Login')).toHaveAttribute('aria-busy', 'false');
    await expect(alert).toHaveText('Wrong email or password.');
    await expect(field(page, 'Password')).toHaveValue('');
  }
  await fillSignIn(page, { email, password: 'wrong password 6' });
  await button(page, 'Login').click();
  await expect(alert).toContainText(/Too many attempts\. Try again in \d+ seconds\./);
  await expect(button(page, 'Login')).toHaveAttribute('aria-disabled', 'true');
});

test('a signed-in user may continue or use another account', async ({ page, world }) => {
  const [first, second] = [await world.member('ada'), await world.member('bea')];
  await signIn(page, first);
  await open(page, '/auth/signin');
  await expect(page.getByText(`signed in as ${first.email}`)).toBeVisible();
  await link(page, 'Continue').click();
  await expectAccount(page, first);
  await signIn(page, second);
});

const endOthers = async (page: Page) => {
  await link(page, 'Devices').click();
  await button(page, 'Sign out all other devices').click();
  await lastButton(page, 'Sign out').click();
  await expect(page.getByText('All other devices are signed out.')).toBeVisible();
};

const WHY = 'You were signed out because you signed this device out from another one.';

test('a user who was signed out from another device learns why, once', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  for (const javaScriptEnabled of [true, false]) {
    const phone = await openBrowser({ javaScriptEnabled });
    await phone.goto('/auth/signin');
    await fillSignIn(phone, person);
    await button(phone, 'Login').click();
    await expectAccount(phone, person);
    await signIn(await openBrowser(), person); // a third browser
    await signIn(page, person);
    await endOthers(page);
    await phone.reload();
    await expectScreen(phone, 'Sign in');
    await expect(phone.getByRole('status').filter({ hasText: WHY })).toBeVisible();
    await phone.reload();
    await expect(phone.getByText(WHY)).toHaveCount(0);
  }
});

test('an open page leads to the notice with its next request', async ({ page, openBrowser, world }) => {
  const person = await world.member();
  const phone = await openBrowser();
  await signIn(phone, person);
  await signIn(page, person);
  await link(phone, 'Devices').click();
  await expectScreen(phone, 'Devices');
  await endOthers(page);
  await phone
    .getByRole('button', { name: /^Sign out (?!all )./ })
    .first()
    .click();
  await expectScreen(phone, 'Sign in');
  await expect(phone.getByRole('status').filter({ hasText: WHY })).toBeVisible();
});

test('without a session the account page leads to the sign-in and back', async ({ page, world }) => {
  const person = await world.member();
  await open(page, '/auth/account');
  await expectScreen(page, 'Sign in');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
});
