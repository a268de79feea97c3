import type { Page } from '@playwright/test';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  forgot,
  signUp,
  typeWrongCode,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

// These journeys wait half a minute, until Resend is enabled.

const codeOf = (page: Page) => field(page, '6-digit code');

test('wrong codes are counted down; then only a new code helps', async ({ page, world }) => {
  test.slow(); // a new code may be asked for half a minute after the first
  const person = world.stranger();
  await signUp(page, person);
  const { code } = await world.mailbox.next(person.email);
  for (const left of [
    '4 attempts left',
    '3 attempts left',
    '2 attempts left',
    '1 attempt left',
    'Too many wrong codes',
  ]) {
    await typeWrongCode(page, code);
    await expect(page.getByText(left)).toBeVisible();
  }
  await page.reload();
  await alive(page);
  await expectScreen(page, 'Too many wrong codes');
  await expect(codeOf(page)).toHaveCount(0);
  await expect(button(page, 'Verify')).toHaveCount(0);

  const used = page.url();
  const resend = page.getByRole('button', { name: /^Send a new code/ });
  await expect(resend).toHaveAccessibleName('Send a new code', { timeout: 35_000 });
  await resend.click();
  await expect(page).not.toHaveURL(used); // a new flow, with guesses of its own
  await alive(page);
  await expect(page.getByText('New code sent.')).toBeVisible();
  await codeOf(page).fill((await world.mailbox.next(person.email)).code);
  await expectAccount(page, person);
});

test('resend waits, reports the new code, and both codes work', async ({ page, world }) => {
  test.slow();
  const { email } = await world.member();
  await forgot(page, email);
  const first = await world.mailbox.next(email);
  const resend = page.getByRole('button', { name: /^Resend/ });
  await expect(resend).toHaveAccessibleName(/^Resend\s+\(0:[0-3]\d\)$/);
  await expect(resend).toHaveAttribute('aria-disabled', 'true');
  await resend.press('Enter');
  await expect(resend).toHaveAccessibleName(/^Resend\s+\(0:[0-3]\d\)$/);
  await expect(resend).toHaveAccessibleName('Resend', { timeout: 35_000 });
  await resend.click();
  await expect(page.getByText(/New code sent at \d+:\d\d:\d\d/).first()).toBeVisible();
  await expect(resend).toHaveAccessibleName(/^Resend\s+\(0:[23]\d\)$/);
  const second = await world.mailbox.next(email);
  expect(world.mailbox.to(email).filter((mail) => mail.code)).toHaveLength(3); // one of the sign-up
  expect(second.code).not.toBe(first.code);
  await codeOf(page).fill(first.code);
  await expectScreen(page, 'Choose a new password');
});
