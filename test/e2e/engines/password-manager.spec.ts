import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { Authenticator } from '../support/passkey.js';
import { expectAccount } from '../support/screen.js';
import { expect, test } from '../support/test.js';
import type { Person } from '../support/world.js';
import { Display } from './display.js';
import { openProfile, savePassword } from './profile.js';

/** Runs a test in a Chromium that has saved the password of a person for a site. */
async function withSavedPassword(
  origin: string,
  person: Person,
  run: (context: BrowserContext) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-profile-'));
  const display = await Display.start();
  try {
    await (await openProfile(folder, display.name)).close(); // makes the profile
    savePassword(folder, origin, person.email, person.password);
    const context = await openProfile(folder, display.name);
    await run(context);
    await context.close();
  } finally {
    await display.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

// Pages can read a filled-in value only after a click or a key. The painted value is visible at once.
const FILLED = ['#email:autofill', '#password:autofill'];

test("Chromium's own password manager fills the sign-in form, and Login signs in", async ({ world }) => {
  test.setTimeout(120_000);
  const person = await world.member();
  const { origin } = world.portico;
  await withSavedPassword(origin, person, async (context) => {
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(`${origin}/auth/signin`);
    for (const field of FILLED) await expect(page.locator(field)).toBeVisible({ timeout: 20_000 });
    const button = await page.getByRole('button', { name: 'Login' }).boundingBox();
    if (!button) throw new Error('there is no Login button');
    await page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
    await expectAccount(page, person);
  });
});

test('it fills the form on load while a passkey is offered, which a browser without one has no use for', async ({
  world,
}) => {
  test.setTimeout(120_000);
  const person = await world.member();
  const { origin } = world.portico;
  await withSavedPassword(origin, person, async (context) => {
    const page = context.pages()[0] ?? (await context.newPage());
    // A device without passkeys: the browser offers one in the field, and has none to show.
    await (await Authenticator.plugInto(page)).answer(false);
    await page.addInitScript(() => {
      const asked: string[] = [];
      Object.assign(globalThis, { asked });
      const get = navigator.credentials.get.bind(navigator.credentials);
      navigator.credentials.get = (options) => {
        const pending = get(options);
        const token = () => document.querySelector<HTMLInputElement>('#email')?.autocomplete;
        asked.push(`${options?.mediation} with ${token()}`);
        pending.finally(() => asked.push(`over with ${token()}`)).catch(() => undefined);
        return pending;
      };
    });
    const asked = () => page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
    const answer = await page.goto(`${origin}/auth/signin`);
    expect(await answer?.text()).not.toMatch(/autocomplete="[^"]*webauthn/i);
    for (const field of FILLED) await expect(page.locator(field)).toBeVisible({ timeout: 20_000 });
    await expect.poll(asked).toEqual(['conditional with username webauthn']);
    for (const field of FILLED) await expect(page.locator(field)).toBeVisible();
    // The button ends the offer in the field, and the token goes with it.
    const button = await page.getByRole('button', { name: 'Sign in with a passkey' }).boundingBox();
    if (!button) throw new Error('there is no button for a passkey');
    await page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
    await expect
      .poll(asked)
      .toEqual(expect.arrayContaining(['conditional with username webauthn', 'optional with username']));
    await expect(page.locator('#email')).toHaveValue(person.email);
    await expect(page.locator('#password')).toHaveValue(person.password);
  });
});
