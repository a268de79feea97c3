import { expect, type Page } from '@playwright/test';
import { alive, button, expectScreen, field, forgot, open, signIn } from '../screen.js';
import type { World } from '../world.js';
import type { State } from './state.js';

/** The screens after the proof: a new password, the account, the sign-out and the errors. */
export const REST: State[] = [
  { name: 'reset-password', reach: reachReset },
  {
    name: 'reset-password-refused',
    reach: async (page, world) => {
      const { password } = await reachReset(page, world);
      await field(page, 'New password').fill(password);
      await field(page, 'Confirm Password').fill(password);
      await button(page, 'Save password').click();
      await expect(page.getByText('This is your current password.')).toBeVisible();
    },
  },
  {
    name: 'account',
    reach: async (page, world) => signIn(page, await world.member()),
  },
  {
    name: 'signed-out',
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await button(page, 'Sign out').click();
      await expectScreen(page, "You've signed out");
    },
  },
  {
    name: 'leaving',
    reach: async (page, world) => {
      await page.route(`${world.provider.issuer}/**`, (route) => route.fulfill({ status: 204 })); // stays here
      await open(page, '/auth/signin');
      await button(page, 'Continue with Acme ID').click();
      await expectScreen(page, 'Taking you to Acme ID');
    },
  },
  { name: 'error-missing', reach: (page) => open(page, '/auth/nothing-here') },
  {
    name: 'signin-cancelled',
    reach: async (page) => {
      await open(page, '/auth/signin');
      await button(page, 'Continue with Acme ID').click();
      await button(page, 'Cancel').click();
      await expectScreen(page, 'Sign in');
      await expect(page.getByText("You didn't finish signing in with Acme ID.")).toBeVisible();
    },
  },
];

async function reachReset(page: Page, world: World) {
  const person = await world.member();
  await forgot(page, person.email);
  await page.keyboard.type((await world.mailbox.next(person.email)).code);
  await expectScreen(page, 'Choose a new password');
  await alive(page);
  return person;
}
