// Follows the link of a sample from its page for everybody to the one for a user, in a real Chromium, by the router of the framework.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { signIn } from 'portico-client/testing';

const [, , baseURL] = process.argv;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/lib/chromium/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu'],
});
const context = await browser.newContext({ baseURL });
const page = await context.newPage();
const fetched = [];
page.on('response', (r) => {
  const { pathname } = new URL(r.url());
  if (r.request().resourceType() === 'fetch' && pathname.startsWith('/me')) fetched.push(`${r.status()} ${pathname}`);
});
const link = page.getByRole('link', { name: 'Your page' });

/** Opens the page for everybody and waits for its router. */
async function home() {
  await page.goto('/');
  await page.waitForLoadState('networkidle');
}

try {
  await home();
  await link.click();
  await page.waitForURL(/\/auth\/signin\?return_to=(%2F|\/)me$/);
  assert.notEqual(fetched.length, 0, 'the router did not fetch the page');

  const { email } = await signIn(page);
  await home();
  await link.click();
  await page.getByText(`Only for ${email}`).waitFor();

  await home();
  await context.clearCookies();
  await link.click();
  await page.waitForURL(/\/auth\/signin\?return_to=(%2F|\/)me$/);
} catch (error) {
  console.error(page.url(), fetched, await page.locator('body').innerText());
  throw error;
} finally {
  console.log(fetched);
  await browser.close();
}
