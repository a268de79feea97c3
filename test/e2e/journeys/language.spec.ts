import type { Page } from '@playwright/test';
import { alive, button, expectScreen, fillSignIn } from '../support/screen.js';
import { expect, test } from '../support/test.js';

async function choose(page: Page, language: string): Promise<void> {
  await page.locator('footer summary').click();
  await button(page, language).click();
}

test('the language menu changes this page and the next ones', async ({ page, world }) => {
  const person = await world.member();
  await page.goto('/auth/signin?return_to=%2Fauth%2Faccount');
  await choose(page, 'Français');
  await expectScreen(page, 'Connexion');
  await expect(page).toHaveURL(/return_to=%2Fauth%2Faccount$/);
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  await alive(page);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Mot de passe', { exact: true }).fill(person.password);
  await button(page, 'Se connecter').click();
  await expectScreen(page, 'Votre compte');

  await choose(page, 'العربية');
  await expectScreen(page, 'حسابك');
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });
  test('the language menu works too, and is remembered', async ({ page, world }) => {
    const person = await world.member();
    await page.goto('/auth/forgot-password');
    await choose(page, 'Español');
    await expectScreen(page, 'Restablece tu contraseña');
    await page.goto('/auth/signin');
    await expectScreen(page, 'Inicia sesión');
    await choose(page, 'English');
    await expectScreen(page, 'Sign in');
    await fillSignIn(page, person);
    await button(page, 'Login').click();
    await expectScreen(page, 'Your account');
  });
});
