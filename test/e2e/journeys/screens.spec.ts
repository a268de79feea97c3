import type { Page } from '@playwright/test';
import { back, expectScreen, field, forgot, forward, link, open } from '../support/screen.js';
import { expect, test } from '../support/test.js';

// The routes of docs/specification.md section 2: their titles, their texts and the order of the texts.

const PROVIDER = `
  - paragraph: OR
  - button "Continue with Acme ID"`;

const SCREENS = {
  '/auth/signin': {
    title: 'Sign in',
    content: `
- main:
  - heading "Sign in" [level=1]
  - text: Email
  - textbox "Email":
    - /placeholder: Enter your email address
  - text: Password
  - textbox "Password"
  - button "Show password"
  - paragraph:
    - link "Forgot your password?":
      - /url: /auth/forgot-password
  - button "Login"${PROVIDER}
  - paragraph:
    - text: Don't have an account?
    - link "Sign up":
      - /url: /auth/signup`,
  },
  '/auth/signup': {
    title: 'Create an account',
    content: `
- main:
  - heading "Create an account" [level=1]
  - text: Email
  - textbox "Email":
    - /placeholder: Enter your email address
  - text: Password
  - textbox "Password":
    - /placeholder: Create a password
  - button "Show password"
  - list:
    - listitem: At least 8 characters
    - listitem: Doesn't contain your email address
  - text: Confirm Password
  - textbox "Confirm Password":
    - /placeholder: Repeat your password
  - button "Create account"${PROVIDER}
  - paragraph:
    - text: Already have an account?
    - link "Sign in":
      - /url: /auth/signin`,
  },
  '/auth/forgot-password': {
    title: 'Reset your password',
    content: `
- main:
  - heading "Reset your password" [level=1]
  - paragraph: Enter the email address tied to your account and we will send you a link to reset your password.
  - text: Email
  - textbox "Email":
    - /placeholder: Enter your email address
  - button "Send reset link"`,
  },
  '/auth/verify-code': {
    title: 'Verify your code',
    content: `
- main:
  - heading "Verify your code" [level=1]
  - paragraph: /^Enter the 6-digit code sent to your email address/
  - text: 6-digit code
  - textbox "6-digit code"
  - button "Verify"
  - paragraph:
    - text: Didn't receive a code?
    - button /^Resend/`,
  },
};

test.use({ viewport: { width: 1280, height: 1000 } }); // tall enough for every card

for (const [path, { title, content }] of Object.entries(SCREENS)) {
  test(`${path} shows what the specification says`, async ({ page, world }) => {
    if (path === '/auth/verify-code') await forgot(page, world.stranger().email);
    else await open(page, path);
    await expectScreen(page, title);
    await expect(page.getByRole('main')).toMatchAriaSnapshot(content);
    await expectLook(page);
    for (const input of await page.getByRole('textbox').all())
      await expect(input).toHaveAttribute('required');
  });
}

/** The word logo, the card, the background and the height of the page. */
async function expectLook(page: Page): Promise<void> {
  const logo = await page.getByRole('banner').getByRole('link', { name: 'Portico' }).boundingBox();
  expect(logo?.x).toBeLessThan(64);
  expect(logo?.y).toBeLessThan(64);
  const look = await page.evaluate(() => {
    const card = document.querySelector('h1')?.parentElement;
    const submit = document.querySelector('main form button[type=submit]');
    const root = document.getElementById('root');
    if (!card || !submit || !root) throw new Error('there is no card, no button or no root');
    const { x, width } = card.getBoundingClientRect();
    return {
      width,
      besides: [x, innerWidth - x - width],
      background: getComputedStyle(document.documentElement).backgroundColor,
      card: getComputedStyle(card).backgroundColor,
      below: innerHeight - root.getBoundingClientRect().height,
      scheme: getComputedStyle(document.documentElement).colorScheme,
      button: getComputedStyle(submit).backgroundImage,
      buttonWidth: submit.getBoundingClientRect().width,
      fieldWidth: document.querySelector('form')?.getBoundingClientRect().width,
    };
  });
  expect(look).toMatchObject({ width: 450, card: 'rgb(255, 255, 255)', below: 1, scheme: 'light' });
  expect(look.besides[0]).toBe(look.besides[1]);
  expect(look.button).toBe('linear-gradient(135deg, rgb(3, 180, 246), rgb(26, 74, 184))');
  expect(look.buttonWidth, 'full width').toBe(look.fieldWidth);
  const [red = 0, green = 0, blue = 0] = look.background.match(/\d+/g)?.map(Number) ?? [];
  expect(Math.min(red, green, blue), 'light').toBeGreaterThan(235);
  expect(Math.max(red, green, blue) - Math.min(red, green, blue), 'grey').toBeLessThan(8);
}

test('the root leads to the sign-in page and leaves no entry in the history', async ({ page }) => {
  await page.goto('/auth/signup');
  await page.goto('/');
  await expect(page).toHaveURL('/auth/signin');
  await back(page);
  await expect(page).toHaveURL('/auth/signup');
  await forward(page);
  await expect(page).toHaveURL('/auth/signin');
});

test('without an identity provider there is neither divider nor button', async ({ page, world }) => {
  const { origin } = await world.plain();
  for (const path of ['/auth/signin', '/auth/signup']) {
    await open(page, origin + path);
    await expect(page.getByText('OR', { exact: true })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Continue with' })).toBeHidden();
  }
});

test('the provider button carries an icon', async ({ page }) => {
  await open(page, '/auth/signin');
  await expect(page.getByRole('button', { name: 'Continue with Acme ID' }).locator('svg')).toBeVisible();
});

test('a password can be shown and hidden, its repetition stays masked', async ({ page }) => {
  for (const path of ['/auth/signin', '/auth/signup']) {
    await open(page, path);
    const password = field(page, 'Password');
    const toggle = page.getByRole('button', { name: 'Show password' });
    await expect(toggle).toHaveCount(1);
    await password.fill('violet harbour');
    await expect(password).toHaveAttribute('type', 'password');
    await toggle.click();
    await expect(password).toHaveAttribute('type', 'text');
    await expect(toggle).toHaveAttribute('aria-pressed', 'true');
    await toggle.press('Space');
    await expect(password).toHaveAttribute('type', 'password');
    await expect(password).toHaveValue('violet harbour');
  }
  await expect(field(page, 'Confirm Password')).toHaveAttribute('type', 'password');
});

test('a missing page says so and links to the sign-in', async ({ page }) => {
  const answer = await page.goto('/auth/nothing-here');
  expect(answer?.status()).toBe(404);
  await expectScreen(page, 'Page not found');
  await expect(page.getByText('Request ID:')).toBeVisible();
  await link(page, 'Go to sign in').click();
  await expectScreen(page, 'Sign in');
});
