import { expect } from '@playwright/test';
import { answerWith } from '../answer.js';
import { button, field, fillSignIn, fillSignUp, open, signUp } from '../screen.js';
import type { State } from './state.js';

/** States between two answers of the server, and while somebody types. */
export const TYPING: State[] = [
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
    name: 'signup-typing',
    reach: async (page, world) => {
      await open(page, '/auth/signup');
      await fillSignUp(page, world.stranger());
      await field(page, 'Confirm Password').fill('somewhere');
      await field(page, 'Email').focus();
      await expect(page.getByText("Passwords don't match.")).toBeVisible();
    },
  },
  {
    name: 'verify-code-typing',
    reach: async (page, world) => {
      await signUp(page, world.stranger());
      await page.keyboard.type('1234');
    },
  },
];
