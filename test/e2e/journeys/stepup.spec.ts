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
  link,
  open,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { enrol } from '../support/totp.js';

// A change of the account that asks for a passkey first: in a window beside the page, and nothing typed is lost.

const NEW = 'seven hills under a paper lantern';

/** Forms whose pages are shown after a proof only, so the proof ends while the page is open. */
const PROVEN = /passkeys\/rename|factors/;

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
    await answerWith(page, 'factors/remove', { status: 401, code: 'proof.needed' });
    await page.getByText('Remove', { exact: true }).click();
    await button(page, 'Remove this app').click();
    return {
      typed: [],
      done: () => expect(button(page, 'Set up an authenticator app')).toBeVisible(),
    };
  },
};

for (const [form, send] of Object.entries(FORMS)) {
  test(`${form} asks for the passkey in place, and is then sent as it was typed`, async ({
    page,
    context,
    world,
  }) => {
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
    const opened = context.waitForEvent('page');
    await link(page, 'Sign in again').first().click();
    const beside = await opened;
    await expectScreen(beside, "Confirm it's you");
    await device.alsoIn(beside);
    await alive(beside);
    await Promise.all([beside.waitForEvent('close'), button(beside, 'Use a passkey').click()]);
    expect(values.every(Boolean)).toBe(true);
    await done(); // without another press
  });
}

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
