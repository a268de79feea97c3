import { storageOf } from '../support/guard.js';
import {
  addressShown,
  back,
  button,
  expectAccount,
  expectScreen,
  field,
  forgot,
  open,
  signIn,
  signUp,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

const DOCUMENTS = [
  '/auth/signin',
  '/auth/signup',
  '/auth/forgot-password',
  '/auth/verify-code',
  '/auth/signed-out',
  '/auth/nothing-here',
];

test('every document forbids the features that it does not need', async ({ request }) => {
  for (const path of DOCUMENTS) {
    const answer = await request.get(path, { headers: { accept: 'text/html' } });
    const headers = answer.headers();
    expect.soft(headers['cache-control'], path).toBe('no-store');
    expect.soft(headers['x-content-type-options'], path).toBe('nosniff');
    expect.soft(headers['referrer-policy'], path).toMatch(/^(no-referrer|same-origin)$/);
    expect.soft(headers['cross-origin-opener-policy'], path).toBe('same-origin');
    expect.soft(headers['cross-origin-resource-policy'], path).toBe('same-origin');
    expect.soft(headers['permissions-policy'], path).toContain('camera=()');
    expect.soft(headers['x-request-id'], path).toBeTruthy();
    const policy = headers['content-security-policy'] ?? '';
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "object-src 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]) {
      expect.soft(policy.split('; '), path).toContain(directive);
    }
    expect.soft(policy, path).not.toContain('unsafe');
    expect.soft(policy, path).toMatch(/style-src 'sha256-/);
  }
});

test('a page loads nothing from anywhere else', async ({ page, world }) => {
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  await signUp(page, world.stranger());
  expect([...hosts]).toEqual([world.portico.origin]);
});

test('nothing of the page can be framed', async ({ page, world, guard }) => {
  guard.allow(/frame-ancestors/);
  await page.goto(`${world.app.origin}/`);
  await page.setContent(`<iframe src="${world.portico.origin}/auth/signin" title="framed"></iframe>`);
  await expect(page.frameLocator('iframe').getByRole('heading', { name: 'Sign in' })).toHaveCount(0);
});

test('cookies are out of reach of scripts and other sites', async ({ page, context, world }) => {
  await signIn(page, await world.member());
  const cookies = await context.cookies();
  expect(cookies.map((cookie) => cookie.name)).toContain('portico-session');
  for (const cookie of cookies) {
    expect(cookie, cookie.name).toMatchObject({
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      domain: 'localhost',
    });
  }
  expect(await page.evaluate(() => document.cookie)).toBe('');
});

test('after signing out nothing is kept, and Back shows nothing', async ({ page, context, world }) => {
  const person = await world.member();
  await signIn(page, person);
  await button(page, 'Sign out').click();
  await expectScreen(page, "You've signed out");
  expect(await storageOf(page)).toEqual([]);
  expect((await context.cookies()).map((cookie) => cookie.name)).not.toContain('portico-session');
  await back(page);
  await expectScreen(page, 'Sign in');
  await expect(addressShown(page, person)).toBeHidden();
});

test('a form of another site signs no user in or out', async ({ page, world }) => {
  const [victim, attacker] = [await world.member(), await world.member()];
  await signIn(page, victim);
  for (const [action, fields] of [
    ['/auth/signin', attacker],
    ['/auth/signout', {}],
  ] as const) {
    await page.goto(`${world.app.origin}/`);
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
    await page.setContent(
      `<form method="post" action="${world.portico.origin}${action}">${inputs}<button>Win</button></form>`,
    );
    await page.getByRole('button', { name: 'Win' }).click();
    await expect(page.getByText('This request came from another site.')).toBeVisible();
  }
  await open(page, '/auth/account');
  await expectAccount(page, victim);
});

test('the forms tell password managers the purpose of their fields', async ({ page, world }) => {
  const { email } = await world.member();
  await open(page, '/auth/signin');
  await expect(field(page, 'Email')).toHaveAttribute('autocomplete', /^username( webauthn)?$/);
  await expect(field(page, 'Email')).toHaveAttribute('type', 'email');
  await expect(field(page, 'Password')).toHaveAttribute('autocomplete', /^current-password( webauthn)?$/);
  await expect(field(page, 'Password')).not.toHaveAttribute('minlength');
  await open(page, '/auth/signup');
  await expect(field(page, 'Email')).toHaveAttribute('autocomplete', 'username');
  for (const label of ['Password', 'Confirm Password']) {
    await expect(field(page, label)).toHaveAttribute('autocomplete', 'new-password');
  }
  await forgot(page, email);
  const code = field(page, '6-digit code');
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  await expect(code).toHaveAttribute('inputmode', 'numeric');
  await expect(code).not.toHaveAttribute('maxlength');
  await code.fill((await world.mailbox.next(email)).code);
  await expectScreen(page, 'Choose a new password');
  const user = page.locator('form input[autocomplete=username]');
  await expect(user).toHaveValue(email);
  await expect(user).toHaveAttribute('type', 'text');
  await expect(user).toBeVisible(); // managers ignore hidden fields
  const first = page.locator('form input:not([type=hidden])').first();
  await expect(first).toHaveAttribute('autocomplete', 'username');
  for (const label of ['New password', 'Confirm Password']) {
    await expect(field(page, label)).toHaveAttribute('autocomplete', 'new-password');
  }
});
