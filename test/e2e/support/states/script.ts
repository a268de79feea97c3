import { expect, type Page } from '@playwright/test';
import { answerWith } from '../answer.js';
import { Authenticator, addPasskey, withoutOffer } from '../passkey.js';
import { button, expectScreen, field, lastButton, open, signIn } from '../screen.js';
import { enrol } from '../totp.js';
import type { World } from '../world.js';
import type { State } from './state.js';
import { passkeyOffer, passkeyStep, required } from './stops.js';

const PRESS = 'Sign in with a passkey';
const UNPROVEN = { status: 401, code: 'proof.needed' };

/** States that only script makes: a passkey that does not come, copied codes, and a proof that is asked for in place. */
export const BY_SCRIPT: State[] = [
  {
    name: 'signin-passkey-cancelled',
    reach: async (page) => {
      await Authenticator.plugInto(page); // without a passkey
      await pressPasskey(page);
      await expect(page.getByText('Try your passkey again, or use your password.')).toBeVisible();
    },
  },
  {
    name: 'signin-passkey-unknown',
    reach: async (page) => {
      await (await Authenticator.plugInto(page)).keepStray();
      await pressPasskey(page);
      await expect(page.getByText("This passkey isn't known here.")).toBeVisible();
    },
  },
  {
    name: 'signin-passkey-unsupported',
    reach: async (page) => {
      await withoutAnswers(page);
      await pressPasskey(page);
      await expect(page.getByText("This browser couldn't use a passkey. Use your password")).toBeVisible();
    },
  },
  {
    name: 'new-passkey-cancelled',
    reach: async (page, world) => {
      const device = await passkeyOffer(page, world);
      await device.verify(false);
      await device.answer(true);
      await button(page, 'Create a passkey').click();
      await expect(page.getByText('No passkey was created.')).toBeVisible();
    },
  },
  {
    name: 'new-passkey-unsupported',
    reach: async (page, world) => {
      await withoutAnswers(page);
      await passkeyOffer(page, world);
      await button(page, 'Create a passkey').click();
      await expect(page.getByText("This browser or device couldn't create a passkey.")).toBeVisible();
    },
  },
  {
    name: 'new-passkey-proof',
    reach: async (page, world) => {
      await passkeyOffer(page, world);
      await answerWith(page, 'account/passkeys/begin', UNPROVEN);
      await button(page, 'Create a passkey').click();
      await asksForProof(page);
    },
  },
  {
    name: 'account-passkeys-cancelled',
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await (await Authenticator.plugInto(page)).verify(false);
      await pressAdd(page, 'No passkey was added.');
    },
  },
  {
    name: 'account-passkeys-held',
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await Authenticator.plugInto(page);
      await addPasskey(page);
      await pressAdd(page, 'This device already has a passkey for your account.');
    },
  },
  {
    name: 'account-passkeys-unsupported',
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await withoutAnswers(page);
      await pressAdd(page, "This browser or device can't make a passkey.");
    },
  },
  {
    name: 'account-passkeys-proof',
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await Authenticator.plugInto(page);
      await addPasskey(page);
      await page.getByText('Rename or remove').click();
      await field(page, 'Name of the passkey').fill('My phone');
      await answerWith(page, 'account/passkeys/rename', UNPROVEN);
      await button(page, 'Save name').click();
      await asksForProof(page);
    },
  },
  {
    name: 'account-factors-proof',
    reach: async (page, world) => {
      await member(page, world);
      await enrol(page);
      await open(page, '/auth/account/factors');
      await page.getByText('Remove', { exact: true }).click();
      await answerWith(page, 'factors/remove', UNPROVEN);
      await button(page, 'Remove this app').click();
      await asksForProof(page);
    },
  },
  {
    name: 'account-password-proof',
    reach: async (page, world) => {
      const { email } = await member(page, world);
      await open(page, '/auth/account/password');
      await field(page, 'New password').fill(`lantern over ${email}`);
      await field(page, 'Confirm Password').fill(`lantern over ${email}`);
      await answerWith(page, 'account/password', UNPROVEN);
      await button(page, 'Save password').click();
      await asksForProof(page);
    },
  },
  {
    name: 'account-delete-proof',
    reach: async (page, world) => {
      await member(page, world);
      await open(page, '/auth/account/delete');
      await answerWith(page, 'account/delete', UNPROVEN);
      await button(page, 'Delete my account').click();
      await lastButton(page, 'Delete my account').click();
      await asksForProof(page);
    },
  },
  {
    name: 'protect-cancelled',
    reach: async (page, world) => {
      await (await Authenticator.plugInto(page)).verify(false);
      await required(page, world, '0s');
      await button(page, 'Create a passkey instead').click();
      await expect(page.getByText('No passkey was added.')).toBeVisible();
    },
  },
  {
    name: 'protect-unsupported',
    reach: async (page, world) => {
      await withoutAnswers(page);
      await required(page, world, '0s');
      await button(page, 'Create a passkey instead').click();
      await expect(page.getByText("This browser or device can't make a passkey.")).toBeVisible();
    },
  },
  {
    name: 'mfa-passkey-cancelled',
    reach: async (page, world) => {
      const device = await passkeyStep(page, world);
      await device.verify(false);
      await device.answer(true);
      await button(page, 'Use a passkey').click();
      await expect(page.getByText('You canceled, or it took too long.')).toBeVisible();
    },
  },
  {
    name: 'mfa-passkey-unsupported',
    reach: async (page, world) => {
      await passkeyStep(page, world);
      await page.evaluate(refuse);
      await button(page, 'Use a passkey').click();
      await expect(page.getByText("This browser couldn't use a passkey. Try another")).toBeVisible();
    },
  },
  {
    name: 'mfa-passkey-alone',
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await Authenticator.plugInto(page);
      await addPasskey(page);
      await open(page, '/auth/mfa?return_to=/auth/account/password');
      await expect(page.getByText('Contact Portico support')).toBeVisible();
    },
  },
  {
    name: 'account-factors-copied',
    reach: async (page, world) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await member(page, world);
      const { codes } = await enrol(page);
      await button(page, 'Copy').click();
      await expect(page.getByText('Copied.')).toBeVisible();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(codes.join('\n'));
    },
  },
];

async function member(page: Page, world: World) {
  const person = await world.member();
  await signIn(page, person);
  return person;
}

async function pressPasskey(page: Page): Promise<void> {
  await withoutOffer(page);
  await open(page, '/auth/signin');
  await button(page, PRESS).click();
}

async function pressAdd(page: Page, words: string): Promise<void> {
  await open(page, '/auth/account/passkeys');
  await expectScreen(page, 'Passkeys');
  await button(page, 'Add a passkey').click();
  await expect(page.getByText(words)).toBeVisible();
}

async function asksForProof(page: Page): Promise<void> {
  await expect(page.getByRole('link', { name: 'Sign in again' })).toBeVisible();
}

/** A browser that knows passkeys, with no device for them. Its pages from now on refuse each request. */
const withoutAnswers = (page: Page) => page.addInitScript(refuse);

function refuse(): void {
  const never = () => Promise.reject(new DOMException('', 'NotSupportedError'));
  Object.assign(navigator.credentials, { get: never, create: never });
  PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable = () => Promise.resolve(true);
}
