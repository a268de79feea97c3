import type { Page } from '@playwright/test';
import {
  addressShown,
  alive,
  back,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  fillSignUp,
  forgot,
  forward,
  link,
  open,
  signIn,
  signUp,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { enrol } from '../support/totp.js';

// Back, reload and a second tab at every step: the user can always continue.

/** The user returns to this tab. The page may be on its way to the next one already. */
const comeBack = (page: Page) =>
  page
    .evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    .catch((error: Error) => expect(error.message).toContain('context was destroyed'));

test('Back and reload in a registration lead on', async ({ page, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const { code } = await world.mailbox.next(person.email);
  await back(page);
  await expectScreen(page, 'Create an account');
  await expect(button(page, 'Create account')).toHaveAttribute('aria-busy', 'false');
  await expect(field(page, 'Email')).toHaveValue(person.email);
  await forward(page);
  await expectScreen(page, 'Verify your code');
  await page.reload();
  await alive(page);
  await expect(page.getByText('Enter the 6-digit code sent to your email address')).toBeVisible();
  await field(page, '6-digit code').fill(code);
  await expectAccount(page, person);
  await back(page);
  await expectAccount(page, person); // the code was used, so its page continues
  await page.reload();
  await expectAccount(page, person);
});

test('a registration begun twice in one browser can be finished in either tab', async ({
  page,
  context,
  world,
}) => {
  const person = world.stranger();
  await signUp(page, person);
  await world.mailbox.next(person.email);
  const second = await context.newPage();
  await signUp(second, person);
  const { code } = await world.mailbox.next(person.email);
  await field(second, '6-digit code').fill(code);
  await expectAccount(second, person);

  await comeBack(page);
  await expectAccount(page, person); // both tabs wait in one flow
});

test('a code used in one tab moves the other one on', async ({ page, context, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  const { code } = await world.mailbox.next(person.email);
  const second = await context.newPage();
  await open(second, page.url());
  await field(second, '6-digit code').fill(code);
  await expectAccount(second, person);
  await comeBack(page);
  await expectAccount(page, person);
});

test('a second step taken in one tab moves the others on, whichever way they show', async ({
  page,
  context,
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  const { app } = await enrol(page);
  await context.clearCookies();
  await open(page, '/auth/signin');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you");
  await alive(page);
  const [second, third] = [await context.newPage(), await context.newPage()];
  await open(third, page.url());
  await link(third, 'Use a recovery code instead').click();
  await alive(third);
  await field(third, 'Recovery code').fill('ABCD');
  const looked = third.waitForResponse(/\/auth\/api\/flows\//);
  await comeBack(third);
  await looked;
  await alive(third);
  await expect(field(third, 'Recovery code')).toHaveValue('ABCD'); // nothing has happened yet
  await open(second, page.url());
  await field(second, '6-digit code').fill(app.next());
  await expectAccount(second, person);
  for (const other of [page, third]) {
    await comeBack(other);
    await expectAccount(other, person);
  }
});

test('terms accepted in one tab move the other one on', async ({ page, context, world }) => {
  const { origin } = await world.terms();
  const person = await world.newcomer();
  await open(page, `${origin}/auth/signin`);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, 'Accept the terms of use');
  await alive(page);
  const second = await context.newPage();
  await open(second, page.url());
  await field(second, 'I accept the terms of use.').check();
  await button(second, 'Accept and continue').click();
  await expectAccount(second, person);
  await comeBack(page);
  await expectAccount(page, person);
});

test('a link opened in a new tab moves the first one on', async ({ page, context, world }) => {
  const person = await world.member();
  await forgot(page, person.email);
  const mail = await world.mailbox.next(person.email);
  const second = await context.newPage();
  await open(second, mail.link);
  await button(second, 'Continue').click();
  await expectScreen(second, 'Choose a new password');
  await comeBack(page);
  await expectScreen(page, 'Choose a new password');
});

test('Back and reload in a recovery continue it, and afterwards the form leads to the sign-in', async ({
  page,
  world,
}) => {
  const person = await world.member();
  await forgot(page, person.email);
  await back(page);
  await expectScreen(page, 'Reset your password');
  await expect(field(page, 'Email')).toHaveValue(person.email);
  await forward(page);
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await expectScreen(page, 'Choose a new password');
  const reset = page.url();
  await page.reload();
  await expectScreen(page, 'Choose a new password');
  await back(page);
  await expectScreen(page, 'Choose a new password'); // the code was used
  await alive(page);
  await field(page, 'New password').fill('a fresh amber orchard');
  await field(page, 'Confirm Password').fill('a fresh amber orchard');
  await button(page, 'Save password').click();
  await expectAccount(page, person);
  await page.goto(reset);
  await expectAccount(page, person); // it is done, and the person is signed in
  await alive(page);
  await button(page, 'Sign out').click();
  await expectScreen(page, "You've signed out");
  await page.goto(reset);
  await expectScreen(page, 'This request has expired');
  await link(page, 'Start again').click();
  await expectScreen(page, 'Sign in');
});

test('two tabs sign in and out', async ({ page, context, world }) => {
  const person = await world.member();
  const second = await context.newPage();
  await open(second, '/auth/signin');
  await signIn(page, person);
  const third = await context.newPage();
  await open(third, '/auth/account/history');
  await fillSignIn(second, person);
  await button(second, 'Login').click();
  await expectAccount(second, person);
  await page.reload();
  await expectAccount(page, person);
  await alive(page);
  await button(page, 'Sign out').click();
  await expectScreen(page, "You've signed out");
  await comeBack(third);
  await expectScreen(third, 'Sign in');
  await alive(second);
  await button(second, 'Sign out').click(); // that session has ended already
  await expectScreen(second, "You've signed out");
  await back(second);
  await expectScreen(second, 'Sign in'); // the account is not shown from the back-forward cache
});

test('after a sign-out elsewhere, a page that the browser has kept shows nothing of the account until the server has answered', async ({
  page,
  context,
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  const second = await context.newPage();
  await open(second, '/auth/account');
  await button(second, 'Sign out').click();
  await expectScreen(second, "You've signed out");
  let answer = () => {};
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await context.route('**/auth/api/session', async (route) => {
    await held;
    await route.continue();
  });
  // As Back shows a page that the browser has kept. Chromium may drop it when a cookie changes.
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await expect(addressShown(page, person)).toBeHidden();
  answer();
  await expectScreen(page, 'Sign in');
});

test('Back to a form after it was sent finds it ready', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  await back(page);
  await expectScreen(page, 'Sign in');
  await alive(page);
  await expect(button(page, 'Login')).toHaveAttribute('aria-busy', 'false');
  await expect(page.getByText(`signed in as ${person.email}`)).toBeVisible();
  await expect(field(page, 'Password')).toHaveValue('');
});

test('two sign-ups with Back in between make one account', async ({ page, world }) => {
  const person = world.stranger();
  await signUp(page, person);
  await back(page);
  await expectScreen(page, 'Create an account');
  await alive(page);
  await fillSignUp(page, person);
  await button(page, 'Create account').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await world.mailbox.next(person.email);
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await expectAccount(page, person);
});
