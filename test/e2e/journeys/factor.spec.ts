import {
  alive,
  back,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  forgot,
  lastButton,
  link,
  open,
  signIn,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { beginSetup, enrol } from '../support/totp.js';

test('a member adds an authenticator app and signs in with its code', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  await link(page, 'Two-step verification').click();
  await expectScreen(page, 'Two-step verification');
  const { app } = await enrol(page);
  await page.reload();
  await expectScreen(page, 'Save your recovery codes');
  await alive(page);
  await page.evaluate(() => Object.assign(navigator.clipboard, { writeText: () => Promise.reject() }));
  await button(page, 'Copy').click();
  await expect(page.getByText("Your browser didn't allow copying.")).toBeVisible();
  await button(page, "I've saved them").click();
  await expectScreen(page, 'Two-step verification');
  await expect(page.getByText('Codes left: 10.')).toBeVisible();

  await open(page, '/auth/account');
  await button(page, 'Sign out').click();
  await expectScreen(page, "You've signed out");
  await open(page, '/auth/signin?return_to=/auth/account');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you");
  await alive(page);
  await field(page, '6-digit code').fill(app.wrong());
  await expect(page.getByText('Wrong code. 4 attempts left.')).toBeVisible();
  await open(page, '/auth/account'); // any page leads to the same step
  await expectScreen(page, "Confirm it's you");
  await alive(page);
  await field(page, '6-digit code').fill(app.next());
  await expectAccount(page, person);
});

test('Back leads out of the second step, and any page later leads to it again', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  const { app } = await enrol(page);
  await page.context().clearCookies();
  await page.goto(`${world.app.origin}/start`);
  await open(page, '/auth/signin');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you");
  const step = page.url();
  await alive(page);
  await back(page);
  await expect(page).toHaveURL(`${world.app.origin}/start`); // by one press
  const begin = ['signin', 'signup', 'forgot-password', 'verify-code'].map((page) => `/auth/${page}`);
  for (const path of ['/auth/account/password', ...begin]) {
    await open(page, path);
    await expect(page).toHaveURL(step);
    await back(page);
    await expect(page).toHaveURL(`${world.app.origin}/start`);
  }
  await open(page, '/auth/mfa');
  await expect(page).toHaveURL(step);
  await field(page, '6-digit code').fill(app.next());
  await expectAccount(page, person);
});

test('no page of a sign-in or a step-up redirects more than three times in a row', async ({
  page,
  world,
}) => {
  const chains = new Map<string, number>();
  page.on('request', (request) => {
    let length = 0;
    for (let at = request.redirectedFrom(); at; at = at.redirectedFrom()) length += 1;
    chains.set(request.url(), Math.max(length, chains.get(request.url()) ?? 0));
  });
  const person = await world.member();
  await signIn(page, person);
  const { app } = await enrol(page);
  await page.context().clearCookies();
  await open(page, '/auth/account/password');
  await expectScreen(page, 'Sign in');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you");
  const step = page.url();
  await open(page, '/auth/account/password'); // by the sign-in page to the step that waits
  await expect(page).toHaveURL(step);
  await alive(page);
  await field(page, '6-digit code').fill(app.next());
  await expectScreen(page, 'Change your password');
  await open(page, '/auth/mfa?return_to=/auth/account/password');
  await expectScreen(page, "Confirm it's you");
  for (const done of [step, '/auth/signin?again=1&return_to=/auth/account/password', '/auth/mfa?flow=x'])
    await page.goto(done);
  const lengths = [...chains.values()];
  expect(Math.max(...lengths)).toBeGreaterThan(1);
  expect([...chains].filter(([, length]) => length > 3)).toEqual([]);
});

test('a recovery code signs in once, and the owner is told', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  const { codes } = await enrol(page);
  for (const [code = '', works] of [
    [codes[0], true],
    [codes[0], false],
  ] as const) {
    await page.context().clearCookies();
    await open(page, '/auth/signin');
    await fillSignIn(page, person);
    await button(page, 'Login').click();
    await expectScreen(page, "Confirm it's you");
    await link(page, 'Use a recovery code instead').click();
    await expect(page.getByText('Contact Portico support')).toBeVisible();
    await alive(page);
    await field(page, 'Recovery code').fill(code.toLowerCase());
    await button(page, 'Continue').click();
    if (works) await expectAccount(page, person);
    else await expect(page.getByText('Wrong code. 4 attempts left.')).toBeVisible();
  }
});

// An app with pages behind a fragment leads here with it. The next page then has the same address.
test('a fragment in the address stays, and the recovery codes come all the same', async ({ page, world }) => {
  await signIn(page, await world.member());
  const app = await beginSetup(page, '/auth/account/factors#/room/7');
  expect(new URL(page.url()).hash).toBe('#/room/7');
  await field(page, '6-digit code').fill(app.next());
  await expectScreen(page, 'Save your recovery codes');
  expect(new URL(page.url()).hash).toBe('#/room/7');
});

test('after five wrong codes the sign-in starts again', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  const { app } = await enrol(page);
  await open(page, '/auth/account');
  await button(page, 'Sign out').click();
  await expectScreen(page, "You've signed out");
  await open(page, '/auth/signin');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you");
  for (const left of ['4 attempts', '3 attempts', '2 attempts', '1 attempt']) {
    await alive(page);
    await field(page, '6-digit code').fill('');
    await page.keyboard.type(app.wrong());
    await expect(page.getByText(`Wrong code. ${left} left.`)).toBeVisible();
  }
  await field(page, '6-digit code').fill('');
  await page.keyboard.type(app.wrong());
  await expectScreen(page, 'Too many wrong codes');
  await alive(page);
  await button(page, 'Start again').click();
  await expectScreen(page, 'Sign in');
});

test('a new password does not pass the second step', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  const { app } = await enrol(page);
  await page.context().clearCookies();
  await forgot(page, person.email);
  await page.keyboard.type((await world.mailbox.next(person.email, /code/)).code);
  await expectScreen(page, 'Choose a new password');
  await alive(page);
  const password = `another ${person.password}`;
  await field(page, 'New password').fill(password);
  await field(page, 'Confirm Password').fill(password);
  await button(page, 'Save password').click();
  await expectScreen(page, "Confirm it's you");
  await alive(page);
  await field(page, '6-digit code').fill(app.next());
  await expectAccount(page, person);
});

test('an enrolment ends when it is left, and the app can be removed', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  await beginSetup(page);
  await link(page, 'Cancel').click();
  await expectScreen(page, 'Two-step verification');
  await expect(button(page, 'Set up an authenticator app')).toBeVisible();
  await enrol(page);
  await alive(page);
  await button(page, "I've saved them").click();
  await expectScreen(page, 'Two-step verification');
  await alive(page);
  await page.getByText('Remove', { exact: true }).click();
  await button(page, 'Remove this app').click();
  await expect(button(page, 'Set up an authenticator app')).toBeVisible();
});

test('a trusted browser asks for no code, and its owner ends that', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  const { app } = await enrol(page);
  const signInAgain = async () => {
    await open(page, '/auth/account');
    await button(page, 'Sign out').click();
    await expectScreen(page, "You've signed out");
    await open(page, '/auth/signin?return_to=/auth/account');
    await fillSignIn(page, person);
    await button(page, 'Login').click();
  };
  await signInAgain();
  await expectScreen(page, "Confirm it's you");
  await alive(page);
  const box = page.getByRole('checkbox', { name: /Don't ask for a code on this browser/ });
  await expect(box).not.toBeChecked();
  await box.check();
  await field(page, '6-digit code').fill(app.next());
  await expectAccount(page, person);
  await world.mailbox.next(person.email, /^New trusted browser /);
  await signInAgain();
  await expectAccount(page, person);

  await expect(page.getByText("1 browser isn't asked for a code")).toBeVisible();
  await link(page, 'Trusted browsers').click();
  await expectScreen(page, 'Trusted browsers');
  await expect(page.getByText('This browser')).toBeVisible();
  await page.getByRole('button', { name: /^Stop trusting: / }).click();
  await expect(page.getByText("You'll need a code the next time you sign in there.")).toBeVisible();
  await expect(page.getByText('No browser is trusted.')).toBeVisible();
  await signInAgain();
  await expectScreen(page, "Confirm it's you");
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('the second step leads out with Back, and on with a code', async ({ browser, page, world }) => {
    const person = await world.member();
    const scripted = await browser.newPage({ baseURL: world.portico.origin, javaScriptEnabled: true });
    await signIn(scripted, person);
    const { app } = await enrol(scripted);
    await scripted.close();
    await page.goto('/auth/signed-out');
    await page.goto('/auth/signin');
    await fillSignIn(page, person);
    await button(page, 'Login').click();
    await expectScreen(page, "Confirm it's you");
    await back(page);
    await page.waitForLoadState(); // the browser cannot go back while a page is replaced
    await back(page);
    await expectScreen(page, "You've signed out");
    for (const path of ['signup', 'forgot-password', 'verify-code', 'signin']) {
      await page.goto(`/auth/${path}`);
      await expectScreen(page, "Confirm it's you");
    }
    await button(page, 'Use another account').click();
    await expectScreen(page, 'Sign in');
    await page.goto('/auth/signup');
    await expectScreen(page, 'Create an account');
    await page.goto('/auth/signin');
    await fillSignIn(page, person);
    await button(page, 'Login').click();
    await field(page, '6-digit code').fill(app.next());
    await button(page, 'Continue').click();
    await expectScreen(page, 'Your account');
  });

  test('a browser is trusted, also after a wrong code', async ({ browser, page, world }) => {
    const person = await world.member();
    const scripted = await browser.newPage({ baseURL: world.portico.origin, javaScriptEnabled: true });
    await signIn(scripted, person);
    const { app } = await enrol(scripted);
    await scripted.close();
    await page.goto('/auth/signin?return_to=/auth/account');
    await fillSignIn(page, person);
    await button(page, 'Login').click();
    const box = page.getByRole('checkbox');
    await box.check();
    await field(page, '6-digit code').fill(app.wrong());
    await button(page, 'Continue').click();
    await expect(page.getByText('Wrong code. 4 attempts left.')).toBeVisible();
    await expect(box).toBeChecked();
    await field(page, '6-digit code').fill(app.next());
    await button(page, 'Continue').click();
    await expectScreen(page, 'Your account');
    await page.goto('/auth/account/browsers');
    await button(page, 'Stop trusting all browsers').click();
    await lastButton(page, 'Stop trusting').click();
    await expect(page.getByText('No browser is trusted.')).toBeVisible();
  });
});
