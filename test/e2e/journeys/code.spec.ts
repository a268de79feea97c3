import type { Page } from '@playwright/test';
import { NO_MAILBOX } from '../support/mailbox.js';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignUp,
  forgot,
  open,
  signUp,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

/** Pastes a text as the clipboard of another app may hold it. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((held) => navigator.clipboard.writeText(held), text);
  await page.keyboard.press('Control+V');
}

const codeOf = (page: Page) => field(page, '6-digit code');

/** Returns the submitted codes. The response redirects to a page that never loads, so the screen stays. */
async function takeCodes(page: Page): Promise<string[]> {
  const codes: string[] = [];
  await page.route('**/auth/api/verify-code', async (route) => {
    const { code } = route.request().postDataJSON();
    await route.fulfill({ json: { next: `/taken?${code}` } });
  });
  await page.route('**/taken?*', async (route) => {
    codes.push(new URL(route.request().url()).search.slice(1));
    await route.fulfill({ status: 204 }); // the page stays
  });
  return codes;
}

test.describe('whatever holds the code fills the field', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('pasted in every form', async ({ page, world }) => {
    await forgot(page, world.stranger().email);
    const codes = await takeCodes(page);
    const expected: string[] = [];
    for (const [name, text, code] of [
      ['digits', '123456', '123456'],
      ['a space between', '223 456', '223456'],
      ['a dash between', '323-456', '323456'],
      ['a sentence', 'Your code is 423456', '423456'],
      ['a sentence and a space', 'Your code is 523 456', '523456'],
      ['full-width digits', '６２３４５６', '623456'],
      ['line breaks around', '\n723456\n', '723456'],
    ] as const) {
      await open(page, page.url());
      await paste(page, text);
      expected.push(code);
      await expect.poll(() => codes, { message: name }).toEqual(expected);
    }
  });

  test('pasted over typed digits', async ({ page, world }) => {
    await forgot(page, world.stranger().email);
    const codes = await takeCodes(page);
    await page.keyboard.type('999');
    await paste(page, '123456');
    await expect.poll(() => codes).toEqual(['123456']);
  });
});

test('autofill, typing and correcting fill it too, and letters are dropped', async ({ page, world }) => {
  await forgot(page, world.stranger().email);
  const codes = await takeCodes(page);
  await page.keyboard.insertText('654321'); // as phones and password managers do
  await expect.poll(() => codes).toEqual(['654321']);

  await forgot(page, world.stranger().email);
  await page.keyboard.type('12a34');
  await expect(codeOf(page)).toHaveValue('1234');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await expect(codeOf(page)).toHaveValue('12');
  await page.keyboard.type('3456');
  await expect.poll(() => codes).toEqual(['654321', '123456']);
});

test('an incomplete code is not sent', async ({ page, world }) => {
  await forgot(page, world.stranger().email);
  const codes = await takeCodes(page);
  await button(page, 'Verify').click();
  await expect(page.getByText('Enter the code.')).toBeVisible();
  await page.keyboard.type('123');
  await button(page, 'Verify').click();
  await expect(page.getByText('Enter all six digits.')).toBeVisible();
  expect(codes).toEqual([]);
});

test('a used code is useless in another browser', async ({ page, openBrowser, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const { code } = await world.mailbox.next(person.email);
  const flow = page.url();
  await codeOf(page).fill(code);
  await expectAccount(page, person);
  await page.goto(flow);
  await expectAccount(page, person); // this browser used the code, so it continues
  const thief = await openBrowser();
  await thief.goto(flow);
  await expect(thief.getByRole('heading', { name: 'This request has expired' })).toBeVisible();
  await expect(thief.getByRole('link', { name: 'Start again' })).toBeVisible();
  await expect(codeOf(thief)).toHaveCount(0);
});

for (const way of ['signup', 'recovery'] as const) {
  test(`an email that the mail server refuses leads to another address: ${way}`, async ({ page, world }) => {
    const person = world.stranger();
    const wrong = `${NO_MAILBOX}${person.email}`;
    // The refusal may come before the page for the code is seen.
    await open(page, way === 'signup' ? '/auth/signup' : '/auth/forgot-password');
    if (way === 'signup') await fillSignUp(page, { ...person, email: wrong });
    else await field(page, 'Email').fill(wrong);
    await button(page, way === 'signup' ? 'Create account' : 'Send reset link').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText("We couldn't deliver the email");
    await expect(codeOf(page)).toHaveCount(0);
    await page.reload(); // the server says it too
    await expectScreen(page, "We couldn't deliver the email");
    await alive(page);
    await page.getByRole('link', { name: 'Use a different email address' }).click();
    await expectScreen(page, way === 'signup' ? 'Create an account' : 'Reset your password');
    await alive(page);
    await expect(field(page, 'Email')).toHaveValue(wrong);
    await expect(page.getByText('The mail server refused our email to this address.')).toBeVisible();
    await field(page, 'Email').fill(person.email);
    if (way === 'recovery') {
      await button(page, 'Send reset link').click();
      await expectScreen(page, 'Verify your code');
      return;
    }
    await field(page, 'Password').fill(person.password);
    await field(page, 'Confirm Password').fill(person.password);
    await button(page, 'Create account').click();
    await expectScreen(page, 'Verify your code');
    await alive(page);
    await codeOf(page).fill((await world.mailbox.next(person.email)).code);
    await expectAccount(page, person);
  });
}

test('another tab of the flow moves on by itself', async ({ page, context, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const second = await context.newPage();
  await second.goto(page.url());
  await expectScreen(second, 'Verify your code');
  await alive(second);
  await codeOf(second).fill((await world.mailbox.next(person.email)).code);
  await expectAccount(second, person);
  await expectAccount(page, person); // without a focus or a press there
});
