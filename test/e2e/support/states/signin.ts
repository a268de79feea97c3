import { expect } from '@playwright/test';
import { answerWith } from '../answer.js';
import { alive, button, field, fillSignIn, open, signIn } from '../screen.js';
import type { State } from './state.js';

const WRONG = 'not the right password';

/** The sign-in page. */
export const SIGN_IN: State[] = [
  { name: 'signin', reach: (page) => open(page, '/auth/signin') },
  {
    name: 'signin-alone',
    reach: async (page, world) => open(page, `${(await world.plain()).origin}/auth/signin`),
  },
  {
    name: 'signin-invalid',
    reach: async (page) => {
      await open(page, '/auth/signin');
      await field(page, 'Email').fill('mara');
      await button(page, 'Login').click();
      await expect(page.getByText('Enter your password.')).toBeVisible();
    },
  },
  {
    name: 'signin-rejected',
    reach: async (page, world) => {
      await open(page, '/auth/signin');
      await fillSignIn(page, { ...world.stranger(), password: WRONG });
      await button(page, 'Login').click();
      await expect(page.getByRole('alert')).toHaveText('Wrong email or password.');
    },
  },
  {
    name: 'signin-limited',
    reach: async (page, world) => {
      await open(page, '/auth/signin');
      const person = world.stranger();
      await expect(async () => {
        await fillSignIn(page, { ...person, password: WRONG });
        await button(page, 'Login').click();
        await expect(page.getByRole('alert')).toContainText('Too many attempts', { timeout: 300 });
      }).toPass();
    },
  },
  {
    name: 'signin-unreachable',
    reach: async (page, world) => {
      await open(page, '/auth/signin');
      await page.route('**/auth/api/signin', (route) => route.abort());
      await fillSignIn(page, world.stranger());
      await button(page, 'Login').click();
      await expect(button(page, 'Try again')).toBeVisible();
    },
  },
  {
    name: 'signin-broken',
    reach: async (page, world) => {
      await open(page, '/auth/signin');
      await answerWith(page, 'signin', { status: 500, code: 'internal', request_id: '0f3a9c1e7b2d4455' });
      await fillSignIn(page, world.stranger());
      await button(page, 'Login').click();
      await expect(page.getByText('Request ID: 0f3a9c1e7b2d4455')).toBeVisible();
    },
  },
  {
    name: 'signin-busy',
    reach: async (page, world) => {
      await open(page, '/auth/signin');
      await page.route('**/auth/api/signin', () => {}); // never answered
      await fillSignIn(page, world.stranger());
      await field(page, 'Show password').click();
      await button(page, 'Login').click();
      await expect(button(page, 'Login')).toHaveAttribute('aria-busy', 'true');
    },
  },
  {
    name: 'signin-shown',
    reach: async (page, world) => {
      await open(page, '/auth/signin');
      await fillSignIn(page, world.stranger());
      await field(page, 'Show password').click();
    },
  },
  {
    name: 'signin-signed-in',
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await open(page, '/auth/signin');
    },
  },
  {
    name: 'signin-linking',
    reach: async (page, world) => {
      const { email } = await world.member();
      world.provider.knows(email, { email, email_verified: true });
      await open(page, '/auth/signin');
      await button(page, 'Continue with Acme ID').click();
      await field(page, 'Login').fill(email);
      await button(page, 'Sign in').click();
      await expect(page.getByText('to connect Acme ID')).toBeVisible();
      await alive(page);
    },
  },
];
