import { expect, type Page } from '@playwright/test';
import { answerWith } from './answer.js';
import {
  alive,
  button,
  expectScreen,
  field,
  fillSignIn,
  fillSignUp,
  forgot,
  link,
  open,
  signIn,
  signUp,
} from './screen.js';
import type { World } from './world.js';

/** How a person gets a page into a state that is worth looking at. */
export interface State {
  name: string;
  reach: (page: Page, world: World) => Promise<unknown>;
}

const WRONG = 'not the right password';

/** Every screen in its main states, by way of the real flows. */
export const STATES: State[] = [
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
      await expect(page.getByRole('alert')).toHaveText('The email address or the password is not right.');
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
        await expect(page.getByRole('alert')).toContainText('Too many tries', { timeout: 300 });
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
  { name: 'signup', reach: (page) => open(page, '/auth/signup') },
  {
    name: 'signup-typing',
    reach: async (page, world) => {
      await open(page, '/auth/signup');
      await fillSignUp(page, world.stranger());
      await field(page, 'Confirm Password').fill('somewhere');
      await field(page, 'Email').focus();
      await expect(page.getByText('The two passwords differ.')).toBeVisible();
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
  { name: 'verify-code', reach: (page) => open(page, '/auth/verify-code') },
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
      await expect(page.getByText('4 tries are left')).toBeVisible();
    },
  },
  {
    name: 'verify-code-used-up',
    reach: async (page, world) => {
      const person = world.stranger();
      await signUp(page, person);
      const { code } = await world.mailbox.next(person.email);
      for (const left of ['4 tries are left', '3 tries', '2 tries', '1 try', 'Too many wrong codes']) {
        await typeWrongCode(page, code);
        await expect(page.getByText(left)).toBeVisible();
      }
    },
  },
  { name: 'verify-code-recovery', reach: (page, world) => forgot(page, world.stranger().email) },
  {
    name: 'verify-code-unknown',
    reach: async (page) => {
      await open(page, '/auth/verify-code?flow=019a0000-0000-7000-8000-000000000000');
      await expect(page.getByText('This browser sends no cookie for this step')).toBeVisible();
    },
  },
  {
    name: 'confirm-link-signup',
    reach: async (page, world) => {
      const person = world.stranger();
      await signUp(page, person);
      await open(page, (await world.mailbox.next(person.email)).link);
    },
  },
  {
    name: 'confirm-link-password',
    reach: async (page, world) => open(page, (await beginElsewhere(page, world)).link),
  },
  {
    name: 'confirm-link-rejected',
    reach: async (page, world) => {
      await open(page, (await beginElsewhere(page, world)).link);
      await field(page, 'Password').fill(WRONG);
      await button(page, 'Confirm address').click();
      await expect(page.getByText('This is not the password')).toBeVisible();
    },
  },
  {
    name: 'confirm-link-used',
    reach: async (page, world) => {
      const person = world.stranger();
      await signUp(page, person);
      const mail = await world.mailbox.next(person.email);
      await page.keyboard.type(mail.code);
      await expectScreen(page, 'Your account');
      await open(page, mail.link);
      await expectScreen(page, 'This link was already used');
    },
  },
  {
    name: 'confirm-link-malformed',
    reach: (page) => open(page, '/auth/confirm-link?token=half-of-it'),
  },
  {
    name: 'confirm-link-recovery',
    reach: async (page, world) => {
      const { email } = await world.member();
      await forgot(page, email);
      await open(page, (await world.mailbox.next(email)).link);
    },
  },
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
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await expect(page.getByText('This device')).toBeVisible();
    },
  },
  {
    name: 'signed-out',
    reach: async (page, world) => {
      await signIn(page, await world.member());
      await button(page, 'Sign out').click();
      await expectScreen(page, 'You are signed out');
    },
  },
  { name: 'error-missing', reach: (page) => open(page, '/auth/nothing-here') },
  {
    name: 'error-cancelled',
    reach: async (page) => {
      await open(page, '/auth/signin');
      await button(page, 'Continue with Acme ID').click();
      await button(page, 'Cancel').click();
      await expect(page.getByText('was cancelled')).toBeVisible();
      await expect(link(page, 'Go to sign in')).toBeVisible();
    },
  },
];

/** A registration that somebody began in another browser. */
async function beginElsewhere(page: Page, world: World) {
  const person = world.stranger();
  const elsewhere = await page.context().browser()?.newContext({ baseURL: world.portico.origin });
  if (!elsewhere) throw new Error('no browser');
  await signUp(await elsewhere.newPage(), person);
  await elsewhere.close();
  return world.mailbox.next(person.email);
}

async function reachReset(page: Page, world: World) {
  const person = await world.member();
  await forgot(page, person.email);
  await page.keyboard.type((await world.mailbox.next(person.email)).code);
  await expectScreen(page, 'Choose a new password');
  await alive(page);
  return person;
}

/** Types six digits that are not the code. */
export async function typeWrongCode(page: Page, code: string): Promise<void> {
  await field(page, '6-digit code').fill('');
  await page.keyboard.type(code === '000000' ? '000001' : '000000');
}
