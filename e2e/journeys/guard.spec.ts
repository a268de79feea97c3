import { field, open, signIn } from '../support/screen.js';
import { expect, test } from '../support/test.js';

// The watch over all journeys sees what it is there for: each of these must fail.
test.describe('the guard fails a journey', () => {
  test.fail();

  test('for a line in the console', async ({ page }) => {
    await open(page, '/auth/signin');
    // biome-ignore lint/suspicious/noConsole: the line is what this is about
    await page.evaluate(() => console.error('out of order'));
  });

  test('for an uncaught error', async ({ page }) => {
    await open(page, '/auth/signin');
    await page.evaluate(() => void queueMicrotask(() => JSON.parse('{')));
    await expect(page.getByRole('main')).toBeVisible();
  });

  test('for what the content policy stops', async ({ page }) => {
    await open(page, '/auth/signin');
    await page.evaluate(() => document.body.setAttribute('style', 'color: red'));
  });

  test('for a code that was kept in the browser, if only for a moment', async ({ page, world }) => {
    const { email } = await world.member();
    await open(page, '/auth/signin');
    await page.evaluate((code) => {
      sessionStorage.setItem('draft', code);
      sessionStorage.clear();
    }, world.mailbox.to(email)[0]?.code ?? '');
  });

  test('for a password in an address', async ({ page, world }) => {
    const { email, password } = await world.member();
    await open(page, '/auth/signin');
    await page.route('**/auth/api/signin', (route) =>
      route.fulfill({ json: { next: `/auth/signin?p=${encodeURIComponent(password)}` } }),
    );
    await field(page, 'Email').fill(email);
    await field(page, 'Password').fill(password);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\?p=/);
  });

  test('for a session token in an address', async ({ page, context, world }) => {
    await signIn(page, await world.member());
    const session = (await context.cookies()).find(({ name }) => name === 'portico-session');
    await page.goto(`/auth/account?session=${session?.value}`);
  });
});

test('the guard lets a plain visit pass', async ({ page }) => {
  await open(page, '/auth/signin');
});
