import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, hydrated, openWorld, problem, reading, shown, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const open = (path: string, api: Api = {}) => visit(world, shown(path), { api });
/** The sign-in page, to which the server gives the address and the return target of the flow. */
const SIGNIN = '/auth/signin?flow=flow1';
const openAlone = (path: string, api: Api = {}) => visit(world, shown(path), { api, alone: true });

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
  await expect.poll(() => page.locator('#code-error').textContent()).toBe('Wrong code. 4 attempts left.');
  expect(bodies).toEqual([{ flow: 'flow1', code: '123456' }]);
  expect(
    await code.evaluate((input: HTMLInputElement) => [input.selectionStart, input.selectionEnd]),
  ).toEqual([0, 6]);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect.poll(() => bodies.length).toBe(2);
  expect(complaints).toEqual([]);
});

test('an error goes while the next code is under way', async () => {
  const api: Api = { '/auth/api/verify-code': 'abort' };
  const { page } = await open('verify-code/idle', api);
  await page.getByLabel('6-digit code').fill('123456');
  const error = page.getByRole('alert').first();
  await expect.poll(() => error.textContent()).toContain("We couldn't reach the server.");
  api['/auth/api/verify-code'] = 'hang';
  await page.getByLabel('6-digit code').fill('654321');
  await page.locator('button[aria-busy=true]').waitFor();
  expect(await error.textContent()).toBe('');
});

/** The fields and buttons of the card, without its links. */
const live = (page: Page) =>
  page
    .locator('main')
    .locator('input:not([type=hidden]), button')
    .evaluateAll((all) => all.map((element) => element.textContent?.trim() || element.id));

const typeEarly = (page: Page) => page.locator('#code').pressSequentially('123456');

/** Opens the screen for a user who is faster than the script. The API refuses each code as wrong. */
async function openEarly(path: string, early: (page: Page) => Promise<void>) {
  const bodies: unknown[] = [];
  const opened = await visit(world, `/dev/screens/verify-code/${path}/light`, {
    api: { '/auth/api/verify-code': problem(422, { code: 'code.wrong', params: { count: '4' } }) },
    alone: true,
    early: (page) => {
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === '/auth/api/verify-code') bodies.push(request.postDataJSON());
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
    await page.getByText('Wrong code. 4 attempts left.').waitFor();
    expect(bodies).toEqual([{ flow: 'flow1', code: '123456' }]);

    await page.goto(`${world.origin}/dev/screens/signin/idle/light`);
    const device = await page.context().newCDPSession(page);
    await device.send('Emulation.setCPUThrottlingRate', { rate: 6 });
    await page.goBack();
    await hydrated(page);
    expect(await page.locator('#code').inputValue()).toBe('123456'); // the browser brings it back
    expect(bodies).toHaveLength(1);
    expect(complaints).toEqual([]);
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
  const { bodies } = await openEarly('idle', early);
  expect(bodies).toEqual([]);
});

test('when the time is up the open page says so', async () => {
  const flow = { id: 'flow1', kind: 'signup', email: '', next: '' };
  const times = { sent_at: 0, expires_at: 600, resend_at: 30, now: 600 };
  const { page } = await openAlone('verify-code/idle', {
    '/auth/api/flows/flow1': { body: { ...flow, ...times, state: 'expired' } },
  });
  await page.clock.install();
  await page.reload();
  await hydrated(page);
  const words = page.getByRole('heading', { name: 'This code has expired' });
  await page.clock.runFor(579_000);
  expect(await words.count()).toBe(0);
  await page.clock.runFor(3000);
  await words.waitFor({ timeout: 20_000 });
  await expect.poll(() => page.title()).toBe('This code has expired');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  expect(await live(page)).toEqual(['Send a new code']);
});

test.each([0, 120])(
  'an email that is refused after %d seconds takes the field away within five more, and names another address',
  async (age) => {
    const now = 1_700_000_000;
    const times = { sent_at: now - age, expires_at: now + 600, resend_at: now + 30, now };
    const flow = { id: 'flow1', kind: 'signup', email: 'mara@example.com', next: '', ...times };
    const api: Api = {
      '/auth/api/resend': {
        body: { next: '/auth/verify-code?flow=flow1', flow: { ...flow, state: 'code' } },
      },
    };
    const { page, complaints } = await openAlone('verify-code/idle', api);
    await page.clock.install();
    await page.reload();
    await hydrated(page);
    // Until then, the page gets no answer when it looks at its flow.
    page.on('request', (request) => {
      if (request.method() !== 'POST') return;
      api['/auth/api/flows/flow1'] = { body: { ...flow, now: now + 1, state: 'refused' } };
    });
    await page.getByRole('button', { name: 'Resend' }).click();
    await expect.poll(() => page.getByText('New code sent at').count()).toBe(2);
    await page.clock.runFor(5000);
    await page.getByRole('heading', { name: "We couldn't deliver the email" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(await live(page)).toEqual([expect.stringMatching(/^Send a new code/)]);
    const other = page.getByRole('link', { name: 'Use a different email address' });
    expect(await other.getAttribute('href')).toBe('/auth/signup?flow=flow1');
    expect(complaints).toEqual([]);
  },
);

test('a try for a new code is made again, also when its button has become another one', async () => {
  const now = 1_700_000_000;
  const times = { sent_at: now - 600, expires_at: now, resend_at: now, now };
  const flow = { id: 'flow1', kind: 'signup', email: '', next: '', ...times };
  const { page, complaints } = await open('verify-code/idle', {
    '/auth/api/resend': 'abort',
    '/auth/api/flows/flow1': { body: { ...flow, state: 'expired' } },
  });
  await page.getByRole('button', { name: 'Resend' }).click();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByRole('button', { name: 'Send a new code' }).waitFor();
  const sent = page.waitForRequest('**/auth/api/resend');
  await again.click();
  await sent;
  expect(complaints).toEqual([]);
});

test('the last wrong code takes the field away, and the way on is the main button', async () => {
  const { page, complaints } = await open('verify-code/idle', {
    '/auth/api/verify-code': problem(429, { code: 'code.used_up' }),
  });
  await page.getByLabel('6-digit code').fill('123456');
  await page.getByRole('heading', { name: 'Too many wrong codes' }).waitFor();
  expect(await live(page)).toEqual(['Send a new code']);
  expect(await page.getByText('Works until').count()).toBe(0);
  expect(complaints).toEqual([]);
});

const promise = (page: Page) => page.getByText(/Works until|The code works/).count();

test.each(['locked', 'link-only'])('%s: no time is promised for a code', async (state) => {
  for (const javaScriptEnabled of [true, false]) {
    const path = `/dev/screens/verify-code/${state}/light`;
    const { page, complaints } = await visit(world, path, { javaScriptEnabled, hydrate: javaScriptEnabled });
    expect(await page.getByRole('alert').first().textContent()).toContain('Use the link in the email');
    expect(await promise(page)).toBe(0);
    const fields = await page.getByLabel('6-digit code').count(); // none, where no code can work
    expect(fields).toBe(state === 'locked' ? 1 : 0);
    expect(complaints).toEqual([]);
  }
});

test('a lock of the codes names the link, and a new email does not take its words away', async () => {
  const now = 1_700_000_000;
  const times = { sent_at: now, expires_at: now + 600, resend_at: now + 30, now };
  const flow = { id: 'flow1', kind: 'signup', state: 'code', email: '', next: '', ...times };
  const { page } = await open('verify-code/idle', {
    '/auth/api/verify-code': problem(429, { code: 'code.locked', retry_after: 3540 }),
    '/auth/api/resend': { body: { next: '/auth/verify-code?flow=flow1', flow } },
  });
  const words = 'Too many wrong codes. Use the link in the email instead, or try again in 59 minutes.';
  await page.getByLabel('6-digit code').fill('123456');
  await page.getByText(words).last().waitFor();
  expect(await promise(page)).toBe(0);
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.locator('main').getByText('Use the link in it.').first().waitFor();
  expect(await page.getByRole('alert').locator('[aria-hidden]').textContent()).toBe(words);
  expect(await promise(page)).toBe(0);
});

test('an older code that expired leaves the field to the newest', async () => {
  const now = 1_700_000_000;
  const times = { sent_at: now, expires_at: now + 600, resend_at: now, now };
  const flow = { id: 'flow1', kind: 'signup', email: 'mara@example.com', next: '', ...times };
  const { page } = await open('verify-code/idle', {
    '/auth/api/verify-code': problem(410, { code: 'code.expired' }),
    '/auth/api/flows/flow1': { body: { ...flow, state: 'code' } },
  });
  const asked = page.waitForResponse('**/flows/flow1');
  await page.getByLabel('6-digit code').fill('123456');
  await asked;
  await page.getByText('This code has expired. Enter the newest one, or get a new one.').waitFor();
  expect(await live(page)).toEqual(['code', 'Verify', 'Resend']);
});

test('the newest code that expired is said once, by the title', async () => {
  const now = 1_700_000_000;
  const times = { sent_at: now - 600, expires_at: now, resend_at: now, now };
  const flow = { id: 'flow1', kind: 'signup', email: 'mara@example.com', next: '', ...times };
  const { page } = await open('verify-code/idle', {
    '/auth/api/verify-code': problem(410, { code: 'code.expired' }),
    '/auth/api/flows/flow1': { body: { ...flow, state: 'expired' } },
  });
  await page.getByLabel('6-digit code').fill('123456');
  await page.getByRole('heading', { name: 'This code has expired' }).waitFor();
  await expect.poll(() => page.getByText('Enter the newest one').count()).toBe(0); // there is no field for it
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
});

test('one line of help, and the rest behind a press, with script and without', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page } = await visit(world, '/dev/screens/verify-code/idle/light', {
      javaScriptEnabled,
      hydrate: javaScriptEnabled,
    });
    const help = page.getByText('Check your spam folder.');
    expect(await help.isVisible()).toBe(false);
    await page.getByText('More help').press('Enter');
    expect(await help.isVisible()).toBe(true);
    expect(await page.getByRole('link', { name: 'Use a different email address' }).isVisible()).toBe(true);
  }
});

test('the address of the sender stays in one piece on a narrow screen', async () => {
  const { page } = await visit(world, '/dev/screens/verify-code/idle/light', {
    viewport: { width: 360, height: 740 },
  });
  await page.getByText('More help').click();
  const lines = await page.getByText('no-reply@example.org', { exact: true }).evaluate((address) => {
    const range = document.createRange();
    range.selectNodeContents(address);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
});

test('resend counts down, says when it is possible again, and restarts with the new code', async () => {
  const now = 1_700_000_000;
  const { page } = await openAlone('verify-code/recovery', {
    '/auth/api/resend': {
      body: {
        next: '/auth/verify-code?flow=flow1',
        flow: {
          id: 'flow1',
          kind: 'recovery',
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
  expect(await page.getByText('You can get a new code now.').count()).toBe(1);
  await page.getByLabel('6-digit code').fill('123');
  await button.click();
  await expect.poll(() => button.textContent()).toMatch(/^Resend\u00a0\(0:4[012]\)$/);
  expect(await page.getByLabel('6-digit code').inputValue()).toBe('');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('code');
  const said = page.getByText(/New code sent at \d+:\d\d:\d\d/);
  await expect.poll(() => said.count()).toBe(2); // in sight, and for screen readers
  expect(await said.first().isVisible()).toBe(true);
  const below = await said.first().boundingBox();
  const pressed = await button.boundingBox();
  expect((below?.y ?? 0) - (pressed?.y ?? 0), 'right below the button').toBeLessThan(60);
  expect(await page.getByText('You can get a new code now.').count()).toBe(0);
});

test('while no mail was sent nothing asks for its code, and the next one brings the field', async () => {
  const now = 1_700_000_000;
  const next = '/auth/verify-code?flow=flow1';
  const sent = { sent_at: now, expires_at: now + 600, resend_at: now + 60, now };
  const flow = { id: 'flow1', kind: 'signup', email: '', next: '', state: 'code', ...sent };
  const { page, complaints } = await open('verify-code/held-over', {
    '/auth/api/resend': { body: { next, flow } },
  });
  expect(await page.getByLabel('6-digit code').count()).toBe(0);
  expect(await page.getByText('If the email has no code').count()).toBe(0);
  await page.getByRole('button', { name: 'Send a new code' }).click();
  await page.getByLabel('6-digit code').fill('123');
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect.poll(() => page.locator('#code-error').textContent()).toBe('Enter all six digits.');
  expect(complaints).toEqual([]);
});

test.each([
  ['Verify', '/auth/api/verify-code', 'code.used'],
  ['Verify', '/auth/api/verify-code', 'flow.conflict'],
  ['Resend', '/auth/api/resend', 'flow.conflict'],
])('%s after the step was taken (%s: %s) loads what the server shows now', async (button, path, code) => {
  const { page, complaints } = await open('verify-code/idle', { [path]: problem(409, { code }) });
  await page.route('**/dev/screens/verify-code/idle/light', (route) =>
    route.continue({ url: `${world.origin}/dev/screens/verify-code/done/light` }),
  );
  if (button === 'Verify') await page.getByLabel('6-digit code').fill('123456');
  else await page.getByRole('button', { name: button }).click();
  await page.getByRole('heading', { name: "You're verified" }).waitFor();
  expect(await page.getByRole('link', { name: 'Go to sign in' }).getAttribute('href')).toBe(SIGNIN);
  expect(complaints).toEqual([]);
});

test.each(['signup.invitation_over', 'signup.domain', 'signup.taken'])(
  'a code of a sign-up that has ended leads to the page that says so: %s',
  async (code) => {
    const { page } = await open('verify-code/idle', { '/auth/api/verify-code': problem(403, { code }) });
    await page.route('**/auth/verify-code?flow=flow1', (route) => route.fulfill({ body: 'ended' }));
    const sent = page.waitForRequest('**/auth/verify-code?flow=flow1');
    await page.getByLabel('6-digit code').fill('123456');
    expect((await sent).postData()).toBe('flow=flow1&code=123456');
  },
);

test('a new code of a sign-up that has ended leads to the page that says so', async () => {
  const { page } = await open('verify-code/expired', {
    '/auth/api/resend': problem(403, { code: 'signup.invitation_over' }),
  });
  await page.route('**/auth/verify-code/resend?flow=flow1', (route) => route.fulfill({ body: 'ended' }));
  const sent = page.waitForRequest('**/auth/verify-code/resend?flow=flow1');
  await page.getByRole('button', { name: 'Send a new code' }).click();
  expect((await sent).postData()).toBe('flow=flow1');
});

test('a step that is not open anymore says so on a page that leads on', async () => {
  const { page } = await open('verify-code/idle?flow=gone', {
    '/auth/api/verify-code': problem(404, { code: 'flow.unknown' }),
  });
  await page.route('**/dev/screens/verify-code/idle/light?flow=gone', (route) =>
    route.continue({ url: `${world.origin}/dev/screens/error/missing/light` }),
  );
  await page.getByLabel('6-digit code').fill('123456');
  await page.getByRole('link', { name: 'Go to sign in' }).waitFor();
});

test('the time until the next email stands in one place, and goes on', async () => {
  const { page, complaints } = await openAlone('verify-code/held');
  await page.clock.install();
  await page.reload();
  await hydrated(page);
  const words = page.getByRole('alert').first();
  await expect.poll(() => words.textContent()).toContain('You can get the next one in 30 minutes.');
  const button = page.getByRole('button', { name: /^Send a new code/ });
  expect(await button.textContent()).toBe('Send a new code');
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  await page.clock.runFor(61_000);
  await expect.poll(() => words.locator('[aria-hidden=true]').textContent()).toContain('in 29 minutes');
  await page.clock.runFor(1_800_000);
  await expect.poll(() => words.textContent()).toBe('You can try again now.');
  expect(await button.getAttribute('aria-disabled')).toBe('false');
  expect(complaints).toEqual([]);
});

test('a page that leads on stays on its way, however slow the next page is', async () => {
  const flow = { id: 'flow1', kind: 'signup', email: 'mara@example.com', state: 'done', now: 1_700_000_000 };
  const { page } = await openAlone('verify-code/idle', {
    '/auth/api/verify-code': { body: { next: shown('signin/idle') } },
  });
  const leads = page.waitForRequest('**/signin/idle/**');
  const looked = (await reading(page))('/auth/api/flows/flow1');
  await page.route('**/flows/flow1', async (route) => {
    await leads;
    await route.fulfill({ json: { ...flow, next: '/auth/account' } });
  });
  await page.route('**/signin/idle/**', async (route) => {
    await looked;
    await route.continue();
  });
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByLabel('6-digit code').fill('123456');
  await page.waitForURL('**/signin/idle/**');
});

test('an answer about the flow that is older than the newest email takes nothing away', async () => {
  const now = 1_700_000_000;
  const times = { sent_at: now, expires_at: now + 600, resend_at: now + 30, now };
  const flow = { id: 'flow1', kind: 'signup', email: 'mara@example.com', next: '', ...times };
  const { page } = await open('verify-code/idle', {
    '/auth/api/resend': {
      body: { next: '/auth/verify-code?flow=flow1', flow: { ...flow, state: 'code' } },
    },
  });
  let answer = () => {};
  const asked = new Promise<void>((arrived) => {
    void page.route('**/flows/flow1', (route) => {
      answer = () => void route.fulfill({ json: { ...flow, expires_at: now, state: 'expired' } });
      arrived();
    });
  });
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await asked;
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.locator('main').getByText('New code sent at').first().waitFor();
  await page.getByLabel('6-digit code').fill('123');
  const read = (await reading(page))('/auth/api/flows/flow1');
  answer();
  await read;
  expect(await page.getByLabel('6-digit code').inputValue()).toBe('123');
});

test('a code that replaces a used-up flow leads to that flow', async () => {
  const { page } = await open('verify-code/used-up', {
    '/auth/api/resend': { body: { next: '/dev/screens/verify-code/idle/light?flow=flow2', flow: {} } },
  });
  await page.getByRole('button', { name: 'Send a new code' }).click();
  await page.waitForURL('**/verify-code/idle/light?flow=flow2');
});
test('a reset link that was opened in another browser leads there, or begins anew here, until it is over', async () => {
  const flow = { id: 'flow1', kind: 'recovery', next: '/reports', now: 1_700_000_000 };
  const waits = { ...flow, state: 'elsewhere', email: 'mara@example.com' };
  const times = { sent_at: 1_699_999_980, expires_at: 1_700_000_580, resend_at: 1_699_999_999 };
  const api: Api = { '/auth/api/flows/flow1': { body: { ...waits, ...times } } };
  const { page, complaints } = await open('verify-code/elsewhere', api);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Continue in your other browser');
  expect(await page.getByRole('link', { name: 'Go to sign in' }).getAttribute('href')).toBe(SIGNIN);
  const anew = page.getByRole('link', { name: 'Start over here' });
  expect(await anew.getAttribute('href')).toBe('/auth/forgot-password?flow=flow1');
  await page.waitForResponse('**/flows/flow1'); // by itself, soon after the page came
  await page.route('**/dev/screens/verify-code/elsewhere/light', (route) =>
    route.continue({ url: `${world.origin}/dev/screens/verify-code/done-recovery/light` }),
  );
  api['/auth/api/flows/flow1'] = { body: { ...waits, ...times, state: 'done' } };
  await page.getByRole('heading', { name: 'Password changed' }).waitFor();
  expect(await page.getByRole('link', { name: 'Start over here' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
