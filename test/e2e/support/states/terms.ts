import { expect } from '@playwright/test';
import { continueWithAcme } from '../acme.js';
import { alive, button, expectScreen, fillSignIn, fillSignUp, open } from '../screen.js';
import type { State } from './state.js';

/** The terms of use, on the form of the sign-up and on their own page. */
export const TERMS: State[] = [
  {
    name: 'signup-terms',
    reach: async (page, world) => {
      await open(page, `${(await world.terms()).origin}/auth/signup`);
      await fillSignUp(page, world.stranger());
      await button(page, 'Create account').click();
      await expect(page.getByText('Check the box to accept the terms of use.')).toBeVisible();
    },
  },
  {
    name: 'terms',
    reach: async (page, world) => {
      const person = await world.newcomer();
      await open(page, `${(await world.terms()).origin}/auth/signin`);
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, 'Accept the terms of use');
      await alive(page);
    },
  },
  {
    name: 'terms-provider',
    reach: async (page, world) => {
      const { origin } = await world.terms();
      const { email } = world.stranger('noor');
      world.provider.knows(email, { email, email_verified: true });
      await page.goto(`${origin}/auth/signup`);
      await continueWithAcme(page, email);
      await expectScreen(page, 'Accept the terms of use');
      await alive(page);
    },
  },
];
