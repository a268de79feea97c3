import type { Page } from '@playwright/test';
import { Guard, NOTHING } from '../support/guard.js';
import { field, open, signIn } from '../support/screen.js';
import { test as base, expect } from '../support/test.js';

// The guard of all journeys finds what it must find.

/** A separate browser, so that the intended errors fail no other journey. */
const test = base.extend<{ watched: { page: Page; guard: Guard } }>({
  watched: async ({ browser, baseURL, world }, use) => {
    const guard = new Guard(world);
    const context = await browser.newContext(baseURL ? { baseURL } : {});
    await guard.watch(context);
    await use({ page: await context.newPage(), guard });
    await context.close();
  },
});

test('a plain visit is found to be in order', async ({ watched: { page, guard } }) => {
  await open(page, '/auth/signin');
  await guard.sample(page.context());
  expect(guard.findings).toEqual(NOTHING);
});

test('the guard finds console lines, uncaught errors and violations of the policy', async ({
  watched: { page, guard },
}) => {
  await open(page, '/auth/signin');
  await page.evaluate(() => {
    // biome-ignore lint/suspicious/noConsole: the test is about this line
    console.warn('out of order');
    queueMicrotask(() => JSON.parse('{'));
    document.body.setAttribute('style', 'color: red');
  });
  await expect
    .poll(() => guard.findings.complaints)
    .toEqual(
      expect.arrayContaining([
        expect.stringContaining('warning: out of order'),
        expect.stringContaining('uncaught: SyntaxError'),
        expect.stringContaining('Content Security Policy'),
      ]),
    );
});

test('a code that was kept in the browser for a moment is found', async ({
  watched: { page, guard },
  world,
}) => {
  const { email } = await world.member();
  await open(page, '/auth/signin');
  const code = world.mailbox.to(email)[0]?.code ?? '';
  await page.evaluate((text) => {
    sessionStorage.setItem('draft', text);
    sessionStorage.clear();
  }, code);
  await expect.poll(() => guard.findings.secretsInStorage).toEqual([`draft=${code}`]);
});

test('a password and a session token in an address are found', async ({
  watched: { page, guard },
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  const session = (await page.context().cookies()).find(({ name }) => name === 'portico-session');
  await page.goto(`/auth/account?session=${session?.value}`);
  await page.goto(`/auth/signin?typed=${encodeURIComponent(person.password)}`);
  await field(page, 'Email').waitFor();
  await guard.sample(page.context());
  expect(guard.findings.secretsInAddresses).toEqual([
    expect.stringContaining('?session='),
    expect.stringContaining('?typed='),
  ]);
});
