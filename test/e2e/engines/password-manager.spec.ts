import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectAccount } from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { Display } from './display.js';
import { openProfile, savePassword } from './profile.js';

test("Chromium's own password manager fills the sign-in form, and Login signs in", async ({ world }) => {
  test.setTimeout(120_000);
  const person = await world.member();
  const { origin } = world.portico;
  const folder = await mkdtemp(join(tmpdir(), 'portico-profile-'));
  const display = await Display.start();
  try {
    await (await openProfile(folder, display.name)).close(); // makes the profile
    savePassword(folder, origin, person.email, person.password);

    const context = await openProfile(folder, display.name);
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(`${origin}/auth/signin`);
    // Pages can read a filled-in value only after a click or a key. The painted value is visible at once.
    for (const field of ['#email', '#password']) {
      await expect(page.locator(`${field}:autofill`)).toBeVisible({ timeout: 20_000 });
    }
    const button = await page.getByRole('button', { name: 'Login' }).boundingBox();
    if (!button) throw new Error('there is no Login button');
    await page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
    await expectAccount(page, person);
    await context.close();
  } finally {
    await display.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
