import { expect, type Page } from '@playwright/test';
import * as oidc from 'openid-client';
import { alive, button, expectScreen, fillSignIn, open } from '../screen.js';
import type { World } from '../world.js';
import type { State } from './state.js';

/** The screens for apps and devices that sign in by OpenID Connect, and the sign-in by email. */
export const APP: State[] = [
  {
    name: 'signin-code',
    reach: async (page, world) => open(page, `${(await world.apps()).portico.origin}/auth/signin-code`),
  },
  { name: 'consent', reach: reachConsent },
  {
    name: 'account-apps-one',
    reach: async (page, world) => {
      await agree(page, world);
      await open(page, `${(await world.apps()).portico.origin}/auth/account/apps`);
      await expect(page.getByText('Notes', { exact: true })).toBeVisible();
    },
  },
  {
    name: 'sign-out',
    reach: async (page, world) => {
      await agree(page, world);
      await page.goto(`${(await world.apps()).notes.origin}/signout`);
      await expectScreen(page, 'Sign out?');
      await alive(page);
    },
  },
  { name: 'device', reach: reachDevice },
  { name: 'device-confirm', reach: reachConfirm },
  ...[
    { name: 'device-allowed', press: 'Yes, sign in', title: "You're signed in to Living room" },
    { name: 'device-denied', press: 'Cancel', title: 'Sign-in canceled' },
  ].map(({ name, press, title }) => ({
    name,
    reach: async (page: Page, world: World) => {
      await reachConfirm(page, world);
      await button(page, press).click();
      await expectScreen(page, title);
      await alive(page);
    },
  })),
];

/** Signs in at a Portico with apps, on the page to which it has sent the browser. */
async function enterThere(page: Page, world: World): Promise<void> {
  const { portico } = await world.apps();
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  await expectScreen(page, 'Sign in');
  await alive(page);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
}

async function reachConsent(page: Page, world: World): Promise<void> {
  await page.goto(`${(await world.apps()).notes.origin}/signin`);
  await enterThere(page, world);
  await expectScreen(page, 'Continue to Notes?');
  await alive(page);
}

async function agree(page: Page, world: World): Promise<void> {
  await reachConsent(page, world);
  await button(page, 'Continue').click();
  await expect(page.getByRole('heading')).toHaveText(/^Notes of /);
}

async function reachDevice(page: Page, world: World): Promise<void> {
  const { portico } = await world.apps();
  const tv = await oidc.discovery(new URL(portico.origin), 'tv', undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  });
  const begun = await oidc.initiateDeviceAuthorization(tv, { scope: 'openid email' });
  await page.goto(begun.verification_uri_complete ?? '');
  await enterThere(page, world);
  await expectScreen(page, 'Sign in on a device'); // its form is the browser's own, so alive() would wait
}

async function reachConfirm(page: Page, world: World): Promise<void> {
  await reachDevice(page, world);
  await button(page, 'Continue').click();
  await expectScreen(page, 'Sign in to Living room on your device?');
  await alive(page);
}
