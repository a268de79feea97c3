import { expect } from '@playwright/test';
import { button, field, fillSignUp, open } from '../screen.js';
import type { State } from './state.js';

/** The first screens of a registration and a recovery. */
export const BEGINNINGS: State[] = [
  { name: 'signup', reach: (page) => open(page, '/auth/signup') },
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
    name: 'signup-refused',
    reach: async (page, world) => {
      await open(page, '/auth/signup');
      await fillSignUp(page, { ...world.stranger(), password: 'password1' });
      await button(page, 'Create account').click();
      await expect(page.getByText('appeared in a data breach')).toBeVisible();
    },
  },
  { name: 'forgot-password', reach: (page) => open(page, '/auth/forgot-password') },
  {
    name: 'forgot-password-invalid',
    reach: async (page) => {
      await open(page, '/auth/forgot-password');
      await button(page, 'Send reset link').click();
      await expect(page.getByText('Enter your email address.', { exact: true })).toBeVisible();
    },
  },
];
