import { alive, expectScreen } from '../support/screen.js';
import { expect, test } from '../support/test.js';

test.use({ locale: 'de-AT', extraHTTPHeaders: { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' } });

test('a German browser gets German pages and emails', async ({ page, world }) => {
  const person = world.stranger();
  await page.goto('/auth/signin');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expectScreen(page, 'Anmelden');
  await alive(page);
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await expect(page.getByText('Geben Sie Ihre E-Mail-Adresse ein.')).toBeVisible();

  await page.getByRole('link', { name: 'Registrieren' }).click();
  await expectScreen(page, 'Konto erstellen');
  await alive(page);
  await page.getByLabel('E-Mail').fill(person.email);
  await page.getByLabel('Passwort', { exact: true }).fill(person.password);
  await page.getByLabel('Passwort bestätigen').fill(person.password);
  await page.getByRole('button', { name: 'Konto erstellen' }).click();
  await expectScreen(page, 'Code bestätigen');
  await alive(page);
  const mail = await world.mailbox.next(person.email);
  expect(mail.subject).toBe(`${mail.code} ist Ihr Code für Portico`);
  await page.keyboard.type(mail.code);
  await expectScreen(page, 'Ihr Konto');
});

test('a page that is not there says so in German', async ({ page }) => {
  await page.goto('/auth/gibt-es-nicht');
  await expectScreen(page, 'Seite nicht gefunden');
});

test.describe('another language', () => {
  test.use({ locale: 'fi-FI', extraHTTPHeaders: { 'accept-language': 'fi' } });
  test('is answered in English', async ({ page }) => {
    await page.goto('/auth/signin');
    await expect(page.locator('html')).toHaveAttribute('lang', 'en');
    await expectScreen(page, 'Sign in');
  });
});
