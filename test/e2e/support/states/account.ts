import { expect, type Page } from '@playwright/test';
import { signInAtAcme } from '../acme.js';
import { Authenticator, addPasskey } from '../passkey.js';
import { alive, button, expectScreen, field, fillSignIn, lastButton, link, open, signIn } from '../screen.js';
import { beginSetup, enrol } from '../totp.js';
import type { Person, World } from '../world.js';
import type { State } from './state.js';

/** The sections of the account: path, name in the list of sections, and title. */
export const SECTIONS = [
  ['profile', 'Profile', 'Profile'],
  ['addresses', 'Email addresses', 'Email addresses'],
  ['password', 'Password', 'Change your password'],
  ['passkeys', 'Passkeys', 'Passkeys'],
  ['factors', 'Two-step verification', 'Two-step verification'],
  ['providers', 'Connected accounts', 'Connected accounts'],
  ['sessions', 'Devices', 'Devices'],
  ['browsers', 'Trusted browsers', 'Trusted browsers'],
  ['history', 'Security history', 'Security history'],
  ['apps', 'Connected apps', 'Connected apps'],
  ['data', 'Download your data', 'Download your data'],
  ['delete', 'Delete your account', 'Delete your account'],
] as const;

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** The sections as a new user finds them, and then with something in them. */
export const ACCOUNT: State[] = [
  ...SECTIONS.map(([path, , title]) => ({
    name: `account-${path}`,
    reach: async (page: Page, world: World) => {
      await enter(page, world);
      await open(page, `/auth/account/${path}`);
      await expectScreen(page, title);
    },
  })),
  {
    name: 'account-tokens', // not in the list of sections, since no app takes tokens
    reach: async (page, world) => {
      await enter(page, world);
      await open(page, '/auth/account/tokens');
      await expectScreen(page, 'Access tokens');
    },
  },
  {
    name: 'account-profile-picture',
    reach: async (page, world) => {
      await enter(page, world);
      await open(page, '/auth/account/profile');
      await field(page, 'Choose a picture').setInputFiles({
        name: 'me.png',
        mimeType: 'image/png',
        buffer: PICTURE,
      });
      await expect(page.getByText('Your picture is saved.')).toBeVisible();
      await alive(page);
    },
  },
  {
    name: 'account-addresses-recovery',
    reach: async (page, world) => {
      await enter(page, world);
      await open(page, '/auth/account/addresses');
      const { email } = world.stranger();
      await field(page, 'New email address').fill(email);
      await page.getByLabel('Recovery and notices').check();
      await button(page, 'Send code').click();
      await expectScreen(page, 'Verify your code');
      await alive(page);
      await page.keyboard.type((await world.mailbox.next(email)).code);
      await expect(page.getByText('For recovery and notices')).toBeVisible();
      await alive(page);
    },
  },
  {
    name: 'account-passkeys-one',
    reach: async (page, world) => {
      await enter(page, world);
      await Authenticator.plugInto(page);
      await addPasskey(page);
      await page.getByText('Rename or remove').click();
      await expect(button(page, 'Save name')).toBeVisible();
    },
  },
  {
    name: 'account-factors-setup',
    reach: async (page, world) => {
      await enter(page, world);
      await beginSetup(page);
    },
  },
  {
    name: 'account-factors-passkey',
    reach: async (page, world) => {
      await enter(page, world);
      await Authenticator.plugInto(page);
      await addPasskey(page);
      await open(page, '/auth/account/factors');
      await expect(button(page, 'Get recovery codes')).toBeVisible();
    },
  },
  { name: 'account-factors-codes', reach: enterAndEnrol },
  {
    name: 'account-factors-app',
    reach: async (page, world) => {
      await enterAndEnrol(page, world);
      await button(page, "I've saved them").click();
      await expectScreen(page, 'Two-step verification');
      await alive(page);
      await page.getByText('Remove', { exact: true }).click();
      await expect(button(page, 'Remove this app')).toBeVisible();
    },
  },
  {
    name: 'account-browsers-trusted',
    reach: async (page, world) => {
      const { person, app } = await enterAndEnrol(page, world);
      await page.context().clearCookies();
      await open(page, '/auth/signin?return_to=/auth/account/browsers');
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, "Confirm it's you");
      await alive(page);
      await page.getByRole('checkbox', { name: /Don't ask for a code on this browser/ }).check();
      await field(page, '6-digit code').fill(app.next());
      await expectScreen(page, 'Trusted browsers');
      await expect(page.getByText('This browser')).toBeVisible();
      await alive(page);
    },
  },
  {
    name: 'account-providers-one',
    reach: async (page, world) => {
      const { email } = await enter(page, world);
      world.provider.knows(email, { email, email_verified: true });
      await open(page, '/auth/account/providers');
      await button(page, 'Connect Acme ID').click();
      await signInAtAcme(page, email);
      await expect(button(page, 'Disconnect Acme ID')).toBeVisible();
      await alive(page);
    },
  },
  {
    name: 'keep',
    reach: async (page, world) => {
      const person = await enter(page, world);
      await open(page, '/auth/account/delete');
      await button(page, 'Delete my account').click();
      await lastButton(page, 'Delete my account').click();
      await expectScreen(page, "You've signed out");
      await open(page, '/auth/signin');
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, 'Keep your account?');
      await alive(page);
    },
  },
  {
    name: 'not-me',
    reach: async (page, world) => {
      const { email } = await enter(page, world);
      await Authenticator.plugInto(page);
      await addPasskey(page);
      await open(page, (await world.mailbox.next(email, /^A passkey was added/)).link);
      await expectScreen(page, 'Secure your account');
    },
  },
  {
    name: 'not-me-cut',
    reach: async (page) => {
      await open(page, '/auth/not-me?token=half');
      await expect(link(page, 'Choose a new password')).toBeVisible();
    },
  },
];

async function enter(page: Page, world: World): Promise<Person> {
  const person = await world.member();
  await signIn(page, person);
  return person;
}

async function enterAndEnrol(page: Page, world: World) {
  const person = await enter(page, world);
  return { person, ...(await enrol(page)) };
}
