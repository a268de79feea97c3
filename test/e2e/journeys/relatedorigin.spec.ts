import type { Page } from '@playwright/test';
import { withoutOffer, withPasskey } from '../support/passkey.js';
import { alive, button, expectAccount, expectScreen, open } from '../support/screen.js';
import { Sites } from '../support/sites.js';
import { expect, test } from '../support/test.js';

const OWN = 'https://id.example.test';
const RELATED = 'https://login.related.test';
const STRANGER = 'https://login.stranger.test';

async function usePasskey(page: Page, origin: string): Promise<void> {
  await page.context().clearCookies();
  await open(page, `${origin}/auth/signin`);
  await button(page, 'Sign in with a passkey').click();
}

test('a passkey works at a related origin, and at no other', async ({
  world,
  guard,
  playwright,
  launchOptions,
}) => {
  const portico = await world.anotherPortico({
    site: OWN,
    settings: `passkey_origins = ["${RELATED}"]\n`,
  });
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  const sites = await Sites.start(portico.origin, OWN);
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    args: [...(launchOptions.args ?? []), ...sites.found],
  });
  const context = await browser.newContext({ baseURL: OWN });
  await guard.watch(context);
  const page = await context.newPage();
  const device = await withPasskey(page, person);
  expect(await device.held()).toHaveLength(1);
  await withoutOffer(page);

  await usePasskey(page, RELATED);
  await expectAccount(page, person);
  expect(new URL(page.url()).origin).toBe(RELATED);

  await usePasskey(page, STRANGER);
  await expect(page.getByText("This browser couldn't use a passkey.")).toBeVisible();
  await expectScreen(page, 'Sign in');
  await alive(page);
  await usePasskey(page, OWN);
  await expectAccount(page, person);

  await browser.close();
  await sites.stop();
});
