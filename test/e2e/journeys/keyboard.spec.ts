import type { Page } from '@playwright/test';
import { expectAccount, expectScreen, open } from '../support/screen.js';
import { expect, test } from '../support/test.js';

// Without a mouse: only keys are pressed from the first screen on.

/** The focused element as a screen reader announces it: `textbox "Email"`. */
async function focused(page: Page): Promise<string> {
  const snapshot = await page
    .locator('*:focus')
    .ariaSnapshot({ timeout: 1000 })
    .catch(() => '');
  return /^- (\w+ "[^"]*")/.exec(snapshot)?.[1] ?? '';
}

/** Presses Tab until the element has the focus. It returns the elements in between. */
async function tabTo(page: Page, announced: string): Promise<string[]> {
  const passed: string[] = [];
  while ((await focused(page)) !== announced) {
    passed.push(await focused(page));
    if (passed.length > 40) throw new Error(`Tab does not lead to ${announced}, but to ${passed.join(', ')}`);
    await page.keyboard.press('Tab');
  }
  return passed;
}

test('sign in by keyboard', async ({ page, world }) => {
  const person = await world.member();
  await open(page, '/auth/signin');
  await tabTo(page, 'textbox "Email"');
  await page.keyboard.type(person.email);
  await tabTo(page, 'textbox "Password"');
  await page.keyboard.type(person.password);
  await tabTo(page, 'button "Show password"');
  await page.keyboard.press('Space');
  await expect(page.getByRole('textbox', { name: 'Password' })).toHaveAttribute('type', 'text');
  expect(await tabTo(page, 'button "Login"')).toEqual([
    'button "Show password"',
    'link "Forgot your password?"',
  ]);
  await page.keyboard.press('Enter');
  await expectAccount(page, person);
  await tabTo(page, 'button "Sign out"');
  await page.keyboard.press('Enter');
  await expectScreen(page, "You've signed out");
});

test('the focus goes through the sign-in page in the order of the eye', async ({ page }) => {
  await open(page, '/auth/signin');
  await page.getByRole('link', { name: 'Portico' }).focus();
  expect(await tabTo(page, 'link "Sign up"')).toEqual([
    'link "Portico"',
    'textbox "Email"',
    'textbox "Password"',
    'button "Show password"',
    'link "Forgot your password?"',
    'button "Login"',
    'button "Continue with Acme ID"',
    'button "Sign in with a passkey"',
  ]);
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Create an account');
});

test('sign up by keyboard: the wrong field has the focus, and typing replaces its text', async ({
  page,
  world,
}) => {
  const person = world.stranger();
  await open(page, '/auth/signup');
  await tabTo(page, 'textbox "Email"');
  await page.keyboard.type(person.email);
  for (const field of ['textbox "Password"', 'textbox "Confirm Password"']) {
    await tabTo(page, field);
    await page.keyboard.type('short');
  }
  await page.keyboard.press('Enter');
  await expect(page.getByText('Use at least 8 characters.')).toBeVisible();
  expect(await focused(page)).toBe('textbox "Password"');
  await page.keyboard.type(person.password);
  await tabTo(page, 'textbox "Confirm Password"'); // selected, as browsers do with Tab
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Verify your code');
  await expect(page.getByRole('textbox', { name: '6-digit code' })).toBeFocused();
  const { code } = await world.mailbox.next(person.email);
  await page.locator('#root[data-live]').waitFor(); // text typed earlier stays, and waits for Enter
  await page.keyboard.type(code);
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
  await page.locator('#root[data-live]').waitFor();
  await page.keyboard.type(code === '000000' ? '000001' : '000000');
  await expect(page.getByText('4 attempts left')).toBeVisible();
  await expect(page.getByRole('textbox', { name: '6-digit code' })).toBeFocused();
  await page.keyboard.type(code);
  await expectAccount(page, person);
});
