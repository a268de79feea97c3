import type { Page } from '@playwright/test';
import { expectAccount, expectScreen, open } from '../support/screen.js';
import { expect, test } from '../support/test.js';

// Without a mouse: only keys are pressed from the first screen on.

/** What has the focus, as it is announced. */
async function focused(page: Page): Promise<string> {
  return (await page.locator('*:focus').ariaSnapshot()).replace(/^- |:$/g, '').split('\n')[0] ?? '';
}

async function tabTo(page: Page, announced: string): Promise<void> {
  await page.keyboard.press('Tab');
  expect(await focused(page)).toContain(announced);
}

test('sign in by keyboard', async ({ page, world }) => {
  const person = await world.member();
  await open(page, '/auth/signin');
  await tabTo(page, 'link "Portico"');
  await tabTo(page, 'textbox "Email"');
  await page.keyboard.type(person.email);
  await tabTo(page, 'textbox "Password"');
  await page.keyboard.type(person.password);
  await tabTo(page, 'button "Show password"');
  await page.keyboard.press('Space');
  await expect(page.getByRole('textbox', { name: 'Password' })).toHaveAttribute('type', 'text');
  await tabTo(page, 'link "Forgot your password?"');
  await tabTo(page, 'button "Login"');
  await page.keyboard.press('Enter');
  await expectAccount(page, person);
});

test('sign up by keyboard, with the way on announced by the focus', async ({ page, world }) => {
  const person = world.stranger();
  await open(page, '/auth/signin');
  for (const stop of ['Portico', 'Email', 'Password', 'Show password', 'Forgot', 'Login', 'Continue with']) {
    await tabTo(page, stop);
  }
  await tabTo(page, 'link "Sign up"');
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Create an account');
  await tabTo(page, 'link "Portico"');
  await tabTo(page, 'textbox "Email"');
  await page.keyboard.type(person.email);
  await tabTo(page, 'textbox "Password"');
  await page.keyboard.type('short');
  await tabTo(page, 'button "Show password"');
  await tabTo(page, 'textbox "Confirm Password"');
  await page.keyboard.type('short');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Use at least 8 characters.')).toBeVisible();
  expect(await focused(page)).toContain('textbox "Password"'); // what is wrong has the focus, and typing replaces it
  await page.keyboard.type(person.password);
  await tabTo(page, 'button "Show password"');
  await tabTo(page, 'textbox "Confirm Password"');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Verify your code');
  await expect(page.getByRole('textbox', { name: '6-digit code' })).toBeFocused();
  await page.keyboard.type((await world.mailbox.next(person.email)).code);
  await expectAccount(page, person);
});

test('a wrong code can be typed over at once', async ({ page, world }) => {
  const person = world.stranger();
  await open(page, '/auth/signup');
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByLabel('Confirm Password').fill(person.password);
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Verify your code');
  const { code } = await world.mailbox.next(person.email);
  await page.keyboard.type(code === '000000' ? '000001' : '000000');
  await expect(page.getByText('4 tries are left')).toBeVisible();
  await expect(page.getByRole('textbox', { name: '6-digit code' })).toBeFocused();
  await page.keyboard.type(code);
  await expectAccount(page, person);
});
