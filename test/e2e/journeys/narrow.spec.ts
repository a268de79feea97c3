import type { Page } from '@playwright/test';
import { tabTo as tabToElement } from '../support/keyboard.js';
import { Authenticator } from '../support/passkey.js';
import { alive, expectScreen, open } from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { Authenticator as App } from '../support/totp.js';

// Passkeys and second factors with keys only, 320 pixels wide, with letters of twice the size.

test.use({ viewport: { width: 320, height: 640 } });

test.beforeEach(({ page }) =>
  page.addInitScript(() => {
    const letters = new CSSStyleSheet();
    letters.replaceSync(':root { font-size: 200% !important }');
    document.adoptedStyleSheets = [letters];
  }),
);

/** Goes to the element with Tab. It is then in sight, and nothing scrolls sideways. */
async function tabTo(page: Page, role: 'button' | 'link' | 'textbox', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true });
  await tabToElement(page, wanted);
  await expect(wanted).toBeInViewport();
  const wide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(wide, 'scrolls sideways').toBe(0);
  const letters = await page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
  expect(letters).toBe('32px');
}

async function press(page: Page, role: 'button' | 'link', name: string): Promise<void> {
  await tabTo(page, role, name);
  await page.keyboard.press('Enter');
}

test('a sign-up with a passkey, and a sign-in with it', async ({ page, world }) => {
  const device = await Authenticator.plugInto(page);
  const { email } = world.stranger();
  await open(page, '/auth/signup');
  await tabTo(page, 'textbox', 'Email');
  await page.keyboard.type(email);
  await press(page, 'button', 'Sign up with a passkey');
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await page.keyboard.type((await world.mailbox.next(email)).code);
  await expectScreen(page, 'Create your passkey');
  await alive(page);
  await tabTo(page, 'link', 'Choose a password instead');
  await page.reload();
  await alive(page);
  await press(page, 'button', 'Create a passkey');
  await expectScreen(page, 'Your account');
  await alive(page);
  await press(page, 'button', 'Sign out');
  await expectScreen(page, "You've signed out");
  await device.answer(false);
  await open(page, '/auth/signin');
  await tabTo(page, 'button', 'Sign in with a passkey');
  await device.answer(true);
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Your account');
});

test('the offer of a passkey is refused', async ({ page, world }) => {
  const person = await world.member();
  await (await Authenticator.plugInto(page)).answer(false);
  await open(page, '/auth/signin');
  await expect(page.locator('[name=makes_passkeys]')).toBeAttached();
  await tabTo(page, 'textbox', 'Email');
  await page.keyboard.type(person.email);
  await tabTo(page, 'textbox', 'Password');
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Sign in faster next time');
  await alive(page);
  await tabTo(page, 'button', 'Create a passkey');
  await press(page, 'button', 'No, thanks');
  await expectScreen(page, 'Your account');
});

test('an authenticator app is added, and its code is given at the next sign-in', async ({ page, world }) => {
  const person = await world.member();
  const giveAddress = async () => {
    await open(page, '/auth/signin');
    await tabTo(page, 'textbox', 'Email');
    await page.keyboard.type(person.email);
    await tabTo(page, 'textbox', 'Password');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');
  };
  await giveAddress();
  await expectScreen(page, 'Your account');
  await alive(page);
  await press(page, 'link', 'Two-step verification');
  await expectScreen(page, 'Two-step verification');
  await alive(page);
  await press(page, 'button', 'Set up an authenticator app');
  await expectScreen(page, 'Set up your authenticator app');
  await alive(page);
  const app = new App((await page.locator('code').textContent()) ?? '');
  await tabTo(page, 'textbox', '6-digit code');
  await page.keyboard.type(app.next());
  await expectScreen(page, 'Save your recovery codes');
  await alive(page);
  await press(page, 'button', "I've saved them");
  await expectScreen(page, 'Two-step verification');
  await page.context().clearCookies();
  await giveAddress();
  await expectScreen(page, "Confirm it's you");
  await alive(page);
  await tabTo(page, 'textbox', '6-digit code');
  await page.keyboard.type(app.next());
  await expectScreen(page, 'Your account');
});
