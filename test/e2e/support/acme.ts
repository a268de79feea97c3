import { expect, type Page } from '@playwright/test';
import { button } from './screen.js';

/** Presses the provider's button and signs in there. The provider does not ask again in the same browser. */
export async function continueWithAcme(page: Page, login: string): Promise<void> {
  await button(page, 'Continue with Acme ID').click();
  await signInAtAcme(page, login);
}

export async function signInAtAcme(page: Page, login: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Sign in to Acme' })).toBeVisible();
  await page.getByLabel('Login').fill(login);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
