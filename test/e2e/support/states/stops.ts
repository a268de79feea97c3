import { expect, type Page } from '@playwright/test';
import { Authenticator, addPasskey, withoutOffer } from '../passkey.js';
import { alive, button, expectScreen, fillSignIn, link, open, signIn } from '../screen.js';
import { enrol } from '../totp.js';
import type { World } from '../world.js';

/** Stops at the second step of a user with an app and a passkey, which its device does not answer. */
export async function passkeyStep(page: Page, world: World): Promise<Authenticator> {
  const person = await world.member();
  await signIn(page, person);
  const device = await Authenticator.plugInto(page);
  await addPasskey(page);
  await enrol(page);
  await device.answer(false);
  await withoutOffer(page);
  await page.context().clearCookies();
  await open(page, '/auth/signin');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you");
  await alive(page);
  const another = link(page, 'Use a passkey instead');
  if (await another.isVisible()) await another.click();
  await expect(button(page, 'Use a passkey')).toBeVisible();
  await alive(page);
  return device;
}

/** Stops where a passkey is offered after the password, with a device that does not answer. */
export async function passkeyOffer(page: Page, world: World): Promise<Authenticator> {
  const person = await world.member();
  const device = await Authenticator.plugInto(page);
  await device.answer(false);
  await open(page, '/auth/signin');
  await expect(page.locator('[name=makes_passkeys]')).toBeAttached();
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, 'Sign in faster next time');
  await alive(page);
  return device;
}

/** Stops where a second factor has to be set up. */
export async function required(page: Page, world: World, grace: string): Promise<void> {
  const portico = await world.requiring(grace);
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  await open(page, `${portico.origin}/auth/signin`);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, 'Set up a second step');
  await alive(page);
}
