import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, hydrated, openWorld, problem, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const open = (path: string, api: Api = {}) => visit(world, `/preview/${path}`, { api });

test('a whole code sends itself once, a wrong one is selected for typing anew', async () => {
  const bodies: unknown[] = [];
  const { page, complaints } = await open('verify-code/idle', {
    '/auth/api/verify-code': problem(422, { code: 'code.wrong', params: { count: '4' } }),
  });
  page.on('request', (request) => {
    if (request.method() === 'POST') bodies.push(request.postDataJSON());
  });
  const code = page.getByLabel('6-digit code');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('code');
  await page.keyboard.insertText('Your code is 123 456');
  await expect
    .poll(() => page.locator('#code-error').textContent())
    .toBe('This code is not right. 4 tries are left.');
  expect(bodies).toEqual([{ flow: 'flow1', code: '123456' }]);
  expect(
    await code.evaluate((input: HTMLInputElement) => [input.selectionStart, input.selectionEnd]),
  ).toEqual([0, 6]);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect.poll(() => bodies.length).toBe(2);
  expect(complaints).toEqual([]);
  await page.context().close();
});

const typeEarly = (page: Page) => page.locator('#code').pressSequentially('123456');

/** Opens the screen to somebody who is faster than the script; what is sent is answered as wrong. */
async function openEarly(path: string, early: (page: Page) => Promise<void>) {
  const bodies: unknown[] = [];
  const opened = await visit(world, `/preview/verify-code/${path}`, {
    api: { '/auth/api/verify-code': problem(422, { code: 'code.wrong', params: { count: '4' } }) },
    early: (page) => {
      page.on('request', (request) => {
        if (request.method() === 'POST') bodies.push(request.postDataJSON());
      });
      return early(page);
    },
  });
  return { ...opened, bodies };
}

test.each(['idle', 'wrong'])(
  'a code typed before the script came is sent once, on a page %s',
  async (path) => {
    const { page, bodies, complaints } = await openEarly(path, typeEarly);
    await page.getByText('This code is not right. 4 tries are left.').waitFor();
    expect(bodies).toEqual([{ flow: 'flow1', code: '123456' }]);

    await page.goto(`${world.origin}/preview/signin/idle`);
    await page.goBack();
    await hydrated(page);
    expect(await page.locator('#code').inputValue()).toBe('123456'); // the browser brings it back
    expect(bodies).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  },
);

test.each([
  ['too short', (page: Page) => page.locator('#code').pressSequentially('12345')],
  [
    'left for the button',
    async (page: Page) => {
      await typeEarly(page);
      await page.keyboard.press('Tab');
    },
  ],
])('a code that was %s when the script came waits for the person', async (_, early) => {
  const { page, bodies } = await openEarly('idle', early);
  expect(bodies).toEqual([]);
  await page.context().close();
});

test('when the time is up the open page says so', async () => {
  const flow = { id: 'flow1', kind: 'signup', address: '', email: '', next: '' };
  const times = { sent_at: 0, expires_at: 600, resend_at: 30, now: 600 };
  const { page } = await open('verify-code/idle', {
    '/auth/api/flows/flow1': { body: { ...flow, ...times, state: 'expired' } },
  });
  await page.clock.install();
  await page.reload();
  await hydrated(page);
  const words = page.getByText('This code has expired. Ask for a new one with Resend.');
  await page.clock.runFor(579_000);
  expect(await words.count()).toBe(0);
  await page.clock.runFor(3000);
  await words.waitFor({ timeout: 5000 });
  await page.context().close();
});

test('the address of the sender stays in one piece on a narrow screen', async () => {
  const { page } = await visit(world, '/preview/verify-code/idle', { viewport: { width: 360, height: 740 } });
  const lines = await page.getByText('no-reply@example.org', { exact: true }).evaluate((address) => {
    const range = document.createRange();
    range.selectNodeContents(address);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
  await page.context().close();
});

test('resend counts down, says when it is possible again, and restarts with the new code', async () => {
  const now = 1_700_000_000;
  const { page } = await open('verify-code/recovery', {
    '/auth/api/resend': {
      body: {
        next: '/auth/verify-code?flow=flow1',
        flow: {
          id: 'flow1',
          kind: 'recovery',
          address: 'm•••@example.com',
          email: '',
          sent_at: now,
          expires_at: now + 600,
          resend_at: now + 42,
          now,
          state: 'code',
          next: '',
        },
      },
    },
  });
  const button = page.getByRole('button', { name: 'Resend' });
  await expect.poll(() => button.textContent()).toMatch(/^Resend\u00a0\(0:4[012]\)$/);
  await page.clock.install();
  await page.reload();
  await hydrated(page);
  await page.clock.runFor(43_000);
  await expect.poll(() => button.textContent()).toBe('Resend');
  expect(await page.getByText('You can ask for another code now.').count()).toBe(1);
  await button.click();
  await expect.poll(() => button.textContent()).toMatch(/^Resend\u00a0\(0:4[012]\)$/);
  expect(await page.getByText('A new code is on its way.').count()).toBe(1);
  await page.context().close();
});

test('while no mail was sent nothing asks for its code, and the next one brings the field', async () => {
  const now = 1_700_000_000;
  const next = '/auth/verify-code?flow=flow1';
  const sent = { sent_at: now, expires_at: now + 600, resend_at: now + 60, now };
  const flow = { id: 'flow1', kind: 'signup', address: '', email: '', next: '', state: 'code', ...sent };
  const { page, complaints } = await open('verify-code/held-over', {
    '/auth/api/resend': { body: { next, flow } },
  });
  expect(await page.getByLabel('6-digit code').count()).toBe(0);
  expect(await page.getByText('No code in the mail?').count()).toBe(0);
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByLabel('6-digit code').fill('123');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test.each([
  ['Verify', '/auth/api/verify-code', 'code.used'],
  ['Verify', '/auth/api/verify-code', 'flow.conflict'],
  ['Resend', '/auth/api/resend', 'flow.conflict'],
])('%s after the step was taken (%s: %s) loads what the server shows now', async (button, path, code) => {
  const { page, complaints } = await open('verify-code/idle', { [path]: problem(409, { code }) });
  await page.route('**/preview/verify-code/idle', (route) =>
    route.continue({ url: `${world.origin}/preview/verify-code/done` }),
  );
  if (button === 'Verify') await page.getByLabel('6-digit code').fill('123456');
  else await page.getByRole('button', { name: button }).click();
  await page.getByText('This code has done its work. You can sign in now.').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a step that is not open any more says so on a page that leads on', async () => {
  const { page } = await open('verify-code/idle?flow=gone', {
    '/auth/api/verify-code': problem(404, { code: 'flow.unknown' }),
  });
  await page.route('**/preview/verify-code/idle?flow=gone', (route) =>
    route.continue({ url: `${world.origin}/preview/error/missing` }),
  );
  await page.getByLabel('6-digit code').fill('123456');
  await page.getByRole('link', { name: 'Go to sign in' }).waitFor();
  await page.context().close();
});

test('a code that replaces a used-up flow leads to that flow', async () => {
  const { page } = await open('verify-code/used-up', {
    '/auth/api/resend': { body: { next: '/preview/verify-code/idle?flow=flow2', flow: {} } },
  });
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.waitForURL('**/verify-code/idle?flow=flow2');
  await page.context().close();
});
