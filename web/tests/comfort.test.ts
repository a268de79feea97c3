import type { BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdScript, hydrated, openWorld, shown, stays, type Visit, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const open = (path: string, options: Parameters<typeof visit>[2] = {}) => visit(world, shown(path), options);

const silent = ({ complaints }: Visit) => expect(complaints).toEqual([]);

const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element?.id || element?.getAttribute('role') || element?.tagName;
  });

test('a mistyped domain is asked about after the field is left, and a press corrects it', async () => {
  const opened = await open('signup/idle');
  const { page } = opened;
  const email = page.getByLabel('Email', { exact: true });
  const offer = page.getByRole('status').getByRole('button', { name: 'Did you mean mara@gmail.com?' });
  await email.pressSequentially('mara@gmial.com');
  expect(await offer.count()).toBe(0);
  await email.press('Tab');
  await offer.waitFor();
  expect(await focused(page)).toBe('password'); // nothing takes the focus from where the person went
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  expect(await email.inputValue()).toBe('mara@gmail.com');
  expect(await focused(page)).toBe('email');
  expect(await offer.count()).toBe(0);
  silent(opened);
});

test('the question goes with the next letter and comes for nothing that is right', async () => {
  const opened = await open('signup/idle/de');
  const { page } = opened;
  const email = page.locator('#email');
  const offer = page.getByRole('button', { name: /^Meinten Sie/ });
  await email.fill('mara@gmial.com');
  await email.blur();
  await offer.waitFor();
  await email.press('End');
  await email.press('x');
  expect(await offer.count()).toBe(0);
  await email.fill('mara@example.com');
  await email.blur();
  expect(await offer.count()).toBe(0);
  silent(opened);
});

test('the question never stands between a press and its button', async () => {
  const opened = await open('signup/idle', {
    api: { '/auth/api/signup': { body: { next: '/dev/screens/verify-code/idle/light' } } },
  });
  const { page } = opened;
  await page.getByLabel('Password', { exact: true }).fill('tram lemon kite');
  await page.getByLabel('Confirm Password').fill('tram lemon kite');
  await page.getByLabel('Email', { exact: true }).fill('mara@gmial.com');
  const posted = page.waitForRequest('**/auth/api/signup');
  const box = await page.getByRole('button', { name: 'Create account' }).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 3); // an inserted line would move this edge away
  const compared = page.waitForResponse(/mistyped/);
  await page.mouse.down();
  await (await compared).finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  expect(await page.getByText('Did you mean').count()).toBe(0);
  await page.mouse.up();
  expect((await posted).postDataJSON()).toMatchObject({ email: 'mara@gmial.com' });
  await page.waitForURL('**/verify-code/idle/light');
  silent(opened);
});

test('managers learn the rules of a new password from the document', async () => {
  for (const path of ['signup/idle', 'reset-password/idle']) {
    const opened = await open(path);
    for (const field of ['#password', '#confirm_password']) {
      expect(await opened.page.locator(field).getAttribute('passwordrules')).toBe(
        'minlength: 8; maxlength: 256;',
      );
    }
    silent(opened);
  }
});

const WIDE: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const NARROW: BrowserContextOptions = { viewport: { width: 360, height: 740 } };
const TOUCH: BrowserContextOptions = { ...WIDE, hasTouch: true, isMobile: true };

test.each([
  ['signin/idle', WIDE, 'email'],
  ['signin/limited', WIDE, 'alert'], // the summary keeps the focus
  ['signin/invalid', WIDE, 'email'],
  ['signin/signed-in', WIDE, 'BODY'], // who is signed in stands before the form
  ['signin/ended', WIDE, 'BODY'],
  ['signup/idle', WIDE, 'email'],
  ['forgot-password/idle', WIDE, 'email'],
  ['reset-password/idle', WIDE, 'password'],
  ['confirm-link/password', WIDE, 'password'],
  ['verify-code/idle', WIDE, 'code'],
  ['account/idle', WIDE, 'BODY'],
  ['account-profile/saved', WIDE, 'DIV'], // what the press before has done
  ['account-sessions/other', WIDE, 'alert'],
  ['account-data/limited', WIDE, 'alert'],
  ['account-passkeys/refused', WIDE, 'alert'],
  ['account-providers/last-way', WIDE, 'alert'],
  ['device/idle', WIDE, 'code'],
  ['device/invalid', NARROW, 'code'], // with the error that describes it
  ['signin/idle', NARROW, 'BODY'],
  ['signin/idle', TOUCH, 'BODY'],
  ['verify-code/idle', NARROW, 'code'],
] as const)('%s, %j: %s has the focus', async (path, options, id) => {
  const opened = await open(path, options);
  expect(await focused(opened.page)).toBe(id);
  silent(opened);
});

test('the first field that is still empty is the one after the carried address', async () => {
  const opened = await open('signin/idle');
  const { page } = opened;
  await page.evaluate(() => sessionStorage.setItem('portico.email', 'mara@example.com'));
  await page.reload();
  await hydrated(page);
  expect(await page.getByLabel('Email').inputValue()).toBe('mara@example.com');
  expect(await focused(page)).toBe('password');
  expect(await page.evaluate(() => sessionStorage.length), 'SEC-082: an address stays in no storage').toBe(0);
  silent(opened);
});

test('a page that somebody has begun to use keeps its focus', async () => {
  for (const begin of [
    (page: Page) => page.keyboard.press('Tab'),
    async (page: Page) => {
      await page.locator('#email').pressSequentially('mara');
      await page.mouse.click(5, 500); // beside the card: nothing has the focus
    },
  ]) {
    const page = await (await world.browser.newContext(WIDE)).newPage();
    const release = await holdScript(page);
    await page.goto(`${world.origin}/dev/screens/signin/idle/light`, { waitUntil: 'commit' });
    await page.locator('#password').waitFor();
    await begin(page);
    const before = await focused(page);
    release();
    await hydrated(page);
    expect(await focused(page)).toBe(before);
    await page.context().close();
  }
});

test.each([true, false])('the provider of the last time is marked, with script %s', async (script) => {
  const opened = await open('signin/last-used', { javaScriptEnabled: script, hydrate: script });
  const { page } = opened;
  const button = page.getByRole('button', { name: 'Continue with GitHub', exact: true });
  expect(await button.getByText('Last used').isVisible()).toBe(true);
  expect(await button.getAttribute('aria-describedby')).toBe('last-used');
  expect(await page.getByText('Last used').count()).toBe(1);
  const other = page.getByRole('button', { name: 'Continue with GitLab', exact: true });
  expect((await button.boundingBox())?.height).toBe((await other.boundingBox())?.height);
  silent(opened);
});

test('a press on a provider leaves nothing behind', async () => {
  const opened = await open('signin/all-providers');
  const { page } = opened;
  await stays(page, '**/auth/provider/**');
  await page.getByRole('button', { name: 'Continue with GitHub' }).click();
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  silent(opened);
});

test('storage that is switched off costs the comfort alone', async () => {
  const opened = await open('signin/idle', { hydrate: false, alone: true });
  const { page } = opened;
  await page.addInitScript(() => {
    for (const area of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, area, {
        get: () => {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    }
  });
  await page.reload();
  await hydrated(page);
  const posted = page.waitForRequest('**/auth/provider/google/start');
  await stays(page, '**/auth/provider/**');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await posted;
  for (const state of ['ended', 'idle']) {
    await page.goto(world.origin + shown(`account-browsers/${state}`));
    await hydrated(page);
  }
  silent(opened);
});

test("the wait for another code never starts above the server's interval", async () => {
  const now = 1_700_000_000;
  const flow = {
    id: 'flow1',
    kind: 'signup',
    email: '',
    sent_at: now,
    expires_at: now + 600,
    resend_at: now + 30,
    now,
    state: 'code',
    next: '',
  };
  const opened = await open('verify-code/idle', {
    api: { '/auth/api/resend': { body: { next: '/auth/verify-code?flow=flow1', flow } } },
  });
  const { page } = opened;
  const button = page.getByRole('button', { name: 'Resend' });
  const shown = button.evaluate(
    (element) =>
      new Promise<string>((done) => {
        new MutationObserver(() => {
          if (element.textContent?.includes(':')) done(element.textContent);
        }).observe(element, { childList: true, subtree: true, characterData: true });
      }),
  );
  await button.click();
  expect(await shown).toBe('Resend\u00a0(0:30)');
  silent(opened);
});

test('who is signed in is named beside the account of the link, and a cut link leads somewhere', async () => {
  for (const [path, address] of [
    ['confirm-link/signed-in', 'm•••@example.com'],
    ['reset-password/invalid', 'mara@example.com'],
  ] as const) {
    const words = `You're signed in as other@example.com. If you continue, you'll be signed in as ${address} instead.`;
    const opened = await open(path);
    expect(await opened.page.getByText(words).count()).toBe(1);
    silent(opened);
  }
  for (const [path, name, target] of [
    ['malformed', 'Enter the code', '/auth/verify-code?flow=flow1'],
    ['malformed-elsewhere', 'Go to sign in', '/auth/signin'],
    ['used', 'Go to sign in', '/auth/signin'],
    ['gone', 'Go to sign in', '/auth/signin'],
  ] as const) {
    const opened = await open(`confirm-link/${path}`);
    const link = opened.page.getByRole('link', { name, exact: true });
    expect(await link.getAttribute('href'), path).toBe(target);
    silent(opened);
  }
});

test('the fragment of the page that was asked for goes along every way there', async () => {
  const opened = await open('signin/idle#part/2', {
    api: { '/auth/api/signin': { body: { next: '/dev/screens/signed-out/idle/light?app' } } },
  });
  const { page } = opened;
  await page.route('**/auth/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  for (const link of ['Sign up', 'Forgot your password?']) {
    await page.getByLabel('Email').fill('mara@example.com');
    await page.getByRole('link', { name: link }).click();
    await page.waitForURL(/\/auth\/.*#part\/2$/);
    expect(await page.evaluate(() => sessionStorage.getItem('portico.email'))).toBe('mara@example.com');
    await page.goBack();
    await hydrated(page);
  }
  await page.getByLabel('Email').fill('mara@example.com');
  await page.getByLabel('Password', { exact: true }).fill('some password');
  await page.getByRole('button', { name: 'Login' }).click();
  await page.waitForURL('**/signed-out/idle/light?app#part/2');
  silent(opened);
});

test('only a picture that is too large is drawn again, and of two that are chosen one after the other the last is sent', async () => {
  const opened = await open('account-profile/idle');
  const { page } = opened;
  await page.evaluate(() => {
    document.title = '';
    HTMLFormElement.prototype.requestSubmit = function () {
      document.title += ` ${(new FormData(this).get('picture') as File).type}`; // a chosen picture is sent at once
    };
  });
  const choose = (side: number) =>
    page.evaluate(async (side) => {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = side;
      canvas.getContext('2d')?.fillRect(0, 0, side / 2, side);
      const blob = await new Promise<Blob>((done) =>
        canvas.toBlob((drawn) => done(drawn as Blob), 'image/jpeg'),
      );
      const list = new DataTransfer();
      list.items.add(new File([blob], 'me.jpg', { type: blob.type }));
      const input = document.querySelector<HTMLInputElement>('[name=picture]') as HTMLInputElement;
      input.files = list.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    }, side);
  const titled = (words: string) => expect.poll(() => page.title()).toBe(words);
  await choose(2100);
  await titled('image/png');
  await choose(900);
  await titled('image/png image/jpeg');
  await page.evaluate(() => {
    const draw = createImageBitmap;
    window.createImageBitmap = () => {
      window.createImageBitmap = draw;
      return new Promise((_, reject) => Object.assign(window, { fail: () => reject(new Error()) }));
    };
  });
  await choose(2100);
  await choose(900);
  const sent = 'image/png image/jpeg image/jpeg';
  await titled(sent);
  await page.evaluate('fail()');
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await page.title()).toBe(sent);
  silent(opened);
});

test.each([
  ['account-password/proof-first', true],
  ['account-addresses/proof-first', true],
  ['account-profile/proof-again', true],
  ['account-passkeys/proof-again', false],
  ['account-data/proof-first', false],
  ['account-delete/proof-first', false],
  ['account-providers/taken', false],
])('%s: a request for a proof speaks of what is typed only beside a field', async (state, typed) => {
  const opened = await open(state);
  const { page } = opened;
  const typing = page.locator('main input:is([type=text], [type=email], [type=password]):visible');
  expect((await typing.count()) > 0).toBe(typed);
  const words = await page.getByText(/Confirm it's you/).allInnerTexts();
  expect(words).toHaveLength(1);
  expect(words[0]?.includes("We'll keep what you entered.")).toBe(typed);
  silent(opened);
});

test.each(['refused', 'unnamed', 'proof-again'])(
  'passkeys, %s: the answer to a form is above the list',
  async (state) => {
    const opened = await open(`account-passkeys/${state}`);
    const top = async (selector: string) =>
      (await opened.page.locator(selector).first().boundingBox())?.y ?? 0;
    expect(await top('.message-box')).toBeGreaterThan(0);
    expect(await top('.message-box')).toBeLessThan(await top('.entry'));
    silent(opened);
  },
);

test('a form without script that has lost the passwords does not promise to keep them', async () => {
  const { page, ...opened } = await open('account-password/proof-again');
  await expect
    .poll(() => page.getByText(/Confirm it's you/).allInnerTexts())
    .toEqual(["Confirm it's you to continue."]);
  silent({ page, ...opened });
});
