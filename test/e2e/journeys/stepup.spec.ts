import type { Page } from '@playwright/test';
import { continueWithAcme, signInAtAcme } from '../support/acme.js';
import { answerWith } from '../support/answer.js';
import { Authenticator, leave, withPasskey } from '../support/passkey.js';
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
import { enrol } from '../support/totp.js';

// A change of the account that asks for a passkey first: in a window beside the page, and nothing typed is lost.

const NEW = 'seven hills under a paper lantern';

/** Forms whose pages are shown after a proof only, so the proof ends while the page is open. */
const PROVEN = /passkeys\/rename|factors/;

/** Presses what is to be lost, and is asked for a proof. */
const remove = async (page: Page) => {
  await answerWith(page, 'factors/remove', { status: 401, code: 'proof.needed' });
  await page.getByText('Remove', { exact: true }).click();
  await button(page, 'Remove this app').click();
  await expect(link(page, 'Sign in again')).toBeVisible();
};

/** Each form of the account that takes text and needs a proof, and the forms of the second factors: how it is filled in, sent and judged. */
const FORMS: Record<
  string,
  (page: Page, email: string) => Promise<{ typed: string[]; done: () => Promise<void> }>
> = {
  'account/password': async (page) => {
    await open(page, '/auth/account/password');
    await field(page, 'New password').fill(NEW);
    await field(page, 'Confirm Password').fill(NEW);
    await button(page, 'Save password').click();
    return {
      typed: ['New password', 'Confirm Password'],
      done: () => expect(page.getByText('Password changed.')).toBeVisible(),
    };
  },
  'account/addresses': async (page, email) => {
    await open(page, '/auth/account/addresses');
    await field(page, 'New email address').fill(email);
    await button(page, 'Send code').click();
    return { typed: ['New email address'], done: () => expectScreen(page, 'Verify your code') };
  },
  'account/passkeys/rename': async (page) => {
    await open(page, '/auth/account/passkeys');
    await page.getByText('Rename or remove').click();
    await field(page, 'Name of the passkey').fill('My phone');
    await answerWith(page, 'account/passkeys/rename', { status: 401, code: 'proof.needed' });
    await button(page, 'Save name').click();
    return {
      typed: ['Name of the passkey'],
      done: () => expect(page.getByText('The new name is saved.')).toBeVisible(),
    };
  },
  'factors/add': async (page) => {
    await open(page, '/auth/account/factors');
    await answerWith(page, 'factors/add', { status: 401, code: 'proof.needed' });
    await button(page, 'Set up an authenticator app').click();
    return { typed: [], done: () => expectScreen(page, 'Set up your authenticator app') };
  },
  'factors/codes': async (page) => {
    await open(page, '/auth/account/factors');
    await answerWith(page, 'factors/codes', { status: 401, code: 'proof.needed' });
    await button(page, 'Get recovery codes').click();
    return { typed: [], done: () => expectScreen(page, 'Save your recovery codes') };
  },
  'factors/remove': async (page) => {
    await enrol(page);
    await open(page, '/auth/account/factors');
    await remove(page);
    return {
      typed: [],
      done: () => expect(button(page, 'Set up an authenticator app')).toBeVisible(),
    };
  },
};

for (const [form, send] of Object.entries(FORMS)) {
  test(`${form} asks for the passkey in place, and is then sent as it was typed`, async ({ page, world }) => {
    const person = await world.member();
    const device = await withPasskey(page, person);
    if (!PROVEN.test(form)) {
      await device.answer(false);
      await leave(page);
      await fillSignIn(page, person); // a password is not enough for a change
      await button(page, 'Login').click();
      await expectAccount(page, person);
    }
    const { typed, done } = await send(page, world.stranger('moved').email);
    const values = await Promise.all(typed.map((label) => field(page, label).inputValue()));
    await device.provesBeside(link(page, 'Sign in again').first());
    expect(values.every(Boolean)).toBe(true);
    await done(); // without another press
  });
}

test('a proof sends only the form that it was asked for', async ({ page, world }) => {
  const device = await withPasskey(page, await world.member());
  await enrol(page);
  await open(page, '/auth/account/factors');
  await remove(page);
  await answerWith(page, 'factors/add', { status: 401, code: 'proof.needed' });
  await button(page, 'Add another authenticator app').click();
  await expect(page.getByRole('link', { name: 'Sign in again' })).toHaveCount(2);
  await device.provesBeside(link(page, 'Sign in again').first());
  await expectScreen(page, 'Set up your authenticator app');
  await open(page, '/auth/account/factors');
  await expect(page.getByText('Remove', { exact: true })).toBeVisible(); // the removal was given up
});

test('a proof in one tab deletes no account that was to be deleted in another', async ({
  page,
  context,
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  await open(page, '/auth/account/delete');
  await answerWith(page, 'account/delete', { status: 401, code: 'proof.needed' });
  await button(page, 'Delete my account').click();
  await lastButton(page, 'Delete my account').click();
  await expect(link(page, 'Sign in again')).toBeVisible();
  let sent = 0;
  page.on('request', (request) => {
    sent += Number(request.method() === 'POST');
  });
  const second = await context.newPage();
  await open(second, '/auth/account');
  await second.evaluate(() => void window.open('/auth/account#proven')); // as a form there does
  await expect(link(page, 'Sign in again')).toBeHidden();
  await open(page, '/auth/account');
  await expectAccount(page, person);
  expect(sent).toBe(0);
});

test('a second passkey is added with the first one at hand, without an email to open', async ({
  page,
  world,
}) => {
  const person = await world.member();
  const first = await withPasskey(page, person);
  await world.mailbox.next(person.email, /^A passkey was added/);
  await page.context().clearCookies();
  await open(page, '/auth/signin'); // the offer in the field is answered by itself
  await expectAccount(page, person);
  await first.unplug();
  const second = await Authenticator.plugInto(page, { transport: 'usb' });
  const before = world.mailbox.mails.length;
  await open(page, '/auth/account/passkeys');
  await expectScreen(page, 'Passkeys');
  await button(page, 'Add a passkey').click();
  await expect(page.getByText('Passkey added.')).toBeVisible();
  await expect(page.getByText('Rename or remove')).toHaveCount(2);
  expect(await second.held()).toHaveLength(1);
  await world.mailbox.next(person.email, /^A passkey was added/);
  const sent = world.mailbox.mails.slice(before).filter(({ to }) => to === person.email);
  expect(sent.filter(({ code }) => code)).toEqual([]);
});

test('a user who has only a provider signs in there again, and the change is done', async ({
  page,
  context,
  world,
}) => {
  const person = world.stranger('noor');
  world.provider.knows(person.email, { email: person.email, email_verified: true });
  await open(page, '/auth/signin');
  await continueWithAcme(page, person.email);
  await expectAccount(page, person);
  await open(page, '/auth/account/password');
  await field(page, 'New password').fill(NEW);
  await field(page, 'Confirm Password').fill(NEW);
  await button(page, 'Save password').click();
  const opened = context.waitForEvent('page');
  await link(page, 'Sign in again').first().click();
  const beside = await opened;
  await expectScreen(beside, 'Sign in');
  await alive(beside);
  await button(beside, 'Continue with Acme ID').click();
  const closed = beside.waitForEvent('close');
  await signInAtAcme(beside, person.email); // Acme asks again, although it knows this browser
  await closed;
  await expect(page.getByText('Password changed.')).toBeVisible(); // without another press
});

test('a user whose only provider never tells the time sets a password by email, and the change is done', async ({
  page,
  context,
  world,
}) => {
  const person = world.stranger('noor');
  const { origin } = await world.timeless();
  world.provider.knows(person.email, { email: person.email, email_verified: true });
  await open(page, `${origin}/auth/signin`);
  await continueWithAcme(page, person.email);
  await expectAccount(page, person);
  const moved = world.stranger('moved');
  await open(page, `${origin}/auth/account/addresses`);
  await field(page, 'New email address').fill(moved.email);
  await page.getByLabel('Signing in, instead of').check();
  await button(page, 'Send code').click();
  const opened = context.waitForEvent('page');
  await link(page, 'Sign in again').first().click();
  const beside = await opened;
  await alive(beside);
  await button(beside, 'Continue with Acme ID').click();
  await expect(beside.getByText('Choose “Forgot your password?” to set one by email.')).toBeVisible();
  await alive(beside);
  await link(beside, 'Forgot your password?').click();
  await alive(beside);
  await field(beside, 'Email').fill(person.email);
  await button(beside, 'Send reset link').click();
  await expectScreen(beside, 'Verify your code');
  await alive(beside);
  await field(beside, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await expectScreen(beside, 'Choose a new password');
  await alive(beside);
  await field(beside, 'New password').fill(NEW);
  await field(beside, 'Confirm Password').fill(NEW);
  await Promise.all([beside.waitForEvent('close'), button(beside, 'Save password').click()]);
  await expectScreen(page, 'Verify your code'); // without another press
  await alive(page);
  await field(page, '6-digit code').fill((await world.mailbox.next(moved.email)).code);
  await expect(page.getByRole('main').getByText(moved.email, { exact: true })).toBeVisible();
});
