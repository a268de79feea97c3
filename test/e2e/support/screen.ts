import { expect, type Page } from '@playwright/test';
import type { Person } from './world.js';

/** Opens a screen and waits for its hydration. The page before it may be about to move on by itself. */
export async function open(page: Page, path: string): Promise<void> {
  try {
    await page.goto(path);
  } catch (error) {
    if (!/interrupted by another navigation|ERR_ABORTED/.test(String(error))) throw error;
    await page.goto(path);
  }
  await alive(page);
}

/**
 * Waits for the hydration of a screen: React has attached to the markup, and its
 * effects have run. They turn off the browser's own checks.
 */
export async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const heading = document.querySelector('main h1');
    const attached = heading !== null && Object.keys(heading).some((key) => key.startsWith('__reactFiber'));
    return (
      attached && [...document.forms].every((form) => form.noValidate || !form.querySelector('[required]'))
    );
  });
}

/** Goes back in the history. A page from the back-forward cache does not load again. */
export const back = (page: Page) => page.goBack({ waitUntil: 'commit' });
export const forward = (page: Page) => page.goForward({ waitUntil: 'commit' });

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The link with this name. A page of the account has some twice: beside the content, and then in it. */
export const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).last();

/** The last button of the window that asks before something is lost. */
export const lastButton = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

/** The page and its tab have this title. */
export async function expectScreen(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  const words = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // after an error without script, and of the account with the name of the site
  await expect(page).toHaveTitle(new RegExp(`^(Error: )?${words}( · .+)?$`));
}

export async function expectAccount(page: Page, person: Person): Promise<void> {
  await expectScreen(page, 'Your account');
  await expect(addressShown(page, person)).toBeVisible();
}

/** The address of the signed-in user in the overview of the account. */
export const addressShown = (page: Page, { email }: Person) =>
  page.getByRole('main').getByText(email).first();

export async function fillSignUp(page: Page, { email, password }: Person): Promise<void> {
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
  await field(page, 'Confirm Password').fill(password);
}

export async function signUp(page: Page, person: Person): Promise<void> {
  await open(page, '/auth/signup');
  await fillSignUp(page, person);
  await button(page, 'Create account').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
}

export async function fillSignIn(page: Page, { email, password }: Person): Promise<void> {
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
}

export async function signIn(page: Page, person: Person): Promise<void> {
  await open(page, '/auth/signin');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
  await alive(page);
}

export async function forgot(page: Page, email: string): Promise<void> {
  await open(page, '/auth/forgot-password');
  await field(page, 'Email').fill(email);
  await button(page, 'Send reset link').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
}

/** Types six digits that are not the code. */
export async function typeWrongCode(page: Page, code: string): Promise<void> {
  await field(page, '6-digit code').fill('');
  await page.keyboard.type(code === '000000' ? '000001' : '000000');
}
