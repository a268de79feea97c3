import { expect } from '@playwright/test';
import { forgot, open, signUp, typeWrongCode } from '../screen.js';
import type { State } from './state.js';

/** The screen for the emailed code. */
export const CODE: State[] = [
  { name: 'verify-code-none', reach: (page) => open(page, '/auth/verify-code') },
  { name: 'verify-code-signup', reach: (page, world) => signUp(page, world.stranger()) },
  {
    name: 'verify-code-typing',
    reach: async (page, world) => {
      await signUp(page, world.stranger());
      await page.keyboard.type('1234');
    },
  },
  {
    name: 'verify-code-wrong',
    reach: async (page, world) => {
      const person = world.stranger();
      await signUp(page, person);
      await typeWrongCode(page, (await world.mailbox.next(person.email)).code);
      await expect(page.getByText('4 attempts left')).toBeVisible();
    },
  },
  {
    name: 'verify-code-used-up',
    reach: async (page, world) => {
      const person = world.stranger();
      await signUp(page, person);
      const { code } = await world.mailbox.next(person.email);
      for (const left of [
        '4 attempts left',
        '3 attempts',
        '2 attempts',
        '1 attempt',
        'Too many wrong codes',
      ]) {
        await typeWrongCode(page, code);
        await expect(page.getByText(left)).toBeVisible();
      }
    },
  },
  { name: 'verify-code-recovery', reach: (page, world) => forgot(page, world.stranger().email) },
  {
    name: 'error-cookies',
    reach: async (page) => {
      await open(page, '/auth/verify-code?flow=019a0000-0000-7000-8000-000000000000');
      await expect(page.getByText('Your browser blocks cookies')).toBeVisible();
    },
  },
];
