import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Api,
  holdScript,
  hydrated,
  openWorld,
  problem,
  reading,
  shown,
  stays,
  visit,
  type World,
} from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const SIGNIN = '/auth/api/signin';
const open = (path: string, api: Api = {}) => visit(world, shown(path), { api });
const openAlone = (path: string, api: Api = {}) => visit(world, shown(path), { api, alone: true });

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('mara@example.com');
  await page.getByLabel('Password', { exact: true }).fill('some password');
  await page.getByRole('button', { name: 'Login' }).click();
}

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute('role'));

test('a rejected sign-in keeps the address, clears the password and says so', async () => {
  const { page, complaints } = await open('signin/idle', {
    [SIGNIN]: problem(401, { code: 'signin.rejected' }),
  });
  await signIn(page);
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('Wrong email or password.');
  expect(await page.getByLabel('Email').inputValue()).toBe('mara@example.com');
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
  expect(await focused(page)).toBe('password');
  expect(complaints).toEqual([]);
});

test.each([
  ['signin/rejected', 'Error: Sign in'],
  ['signin/invalid/de', 'Fehler: Anmelden'],
  ['account-profile/invalid', 'Error: Profile · Portico'],
  ['signin/idle', 'Sign in'],
  ['error/role', "You don't have access to this page"],
])('the tab of %s is %s', async (state, title) => {
  const { page } = await open(state);
  expect(await page.title()).toBe(title);
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('H1'); // it is no new step
});

test('a question before a loss takes the focus and gives it back', async () => {
  const { page } = await open('account-sessions/several');
  const ask = page.getByRole('button', { name: 'Sign out all other devices' });
  for (const leave of ['Escape', 'Cancel']) {
    await ask.click();
    expect(await focused(page)).toBe('others');
    if (leave === 'Cancel') await page.getByRole('button', { name: leave }).click();
    else await page.keyboard.press(leave);
    expect(await ask.evaluate((button) => button === document.activeElement)).toBe(true);
  }
});

test.each([
  ['account-apps/idle', 'Remove Miniflux', ''],
  ['account-tokens/several', 'End Nightly export', ''],
  [
    'account-factors/one',
    'Get new recovery codes',
    'stop working, and trusted browsers ask for a code again.',
  ],
  ['account-factors/last', 'Get new recovery codes', 'stop working.'], // no browser can be trusted there
])('what is lost at a press is asked about: %s', async (state, name, says) => {
  const { page, complaints } = await open(state);
  await page.getByRole('button', { name }).click();
  const dialog = page.getByRole('dialog', { name });
  await dialog.waitFor();
  expect(await dialog.textContent()).toContain(says);
  expect(complaints).toEqual([]);
});

test('a pasted address loses what is not seen at its ends', async () => {
  const { page } = await open('signin/idle', { [SIGNIN]: problem(401, { code: 'signin.rejected' }) });
  await page.getByLabel('Email').fill('\ufeff\u00a0mara@example.com\u200b\u2069');
  await page.getByLabel('Password', { exact: true }).fill('some password');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('Wrong email or password.');
  expect(await page.getByLabel('Email').inputValue()).toBe('mara@example.com');
});

test.each([
  ['émile@example.com', 'Letters like é'],
  ['e\u0301mile@example.com', 'Letters like é'],
  ['Émile <emile@example.com>', 'name@example.com'],
  ['emile@', 'name@example.com'],
])('the words under the address %s have "%s"', async (address, words) => {
  const { page } = await open('signin/idle');
  await page.getByLabel('Email').fill(address);
  await page.getByRole('button', { name: 'Login' }).click();
  await expect.poll(() => page.locator('#email-error').textContent()).toContain(words);
});

test('faults of fields stand under the fields, and the first one has the focus', async () => {
  const fields = [
    { name: 'email', code: 'address.invalid' },
    { name: 'password', code: 'password.required' },
  ];
  const { page } = await open('signin/idle', { [SIGNIN]: problem(422, { code: 'invalid', fields }) });
  await signIn(page);
  await expect.poll(() => page.locator('#email-error').textContent()).toContain('name@example.com');
  expect(await page.getByLabel('Email').getAttribute('aria-invalid')).toBe('true');
  expect(await focused(page)).toBe('email');
  expect(await page.getByRole('alert').textContent()).toBe('');
});

test('a field may say by itself what it lacks', async () => {
  const { page } = await open('account-tokens/none');
  await page.getByRole('button', { name: 'Make token' }).click();
  await expect.poll(() => page.locator('#name-error').textContent()).toBe('Give the token a name.');
});

test.each([
  ['account-tokens/none', '/auth/api/account/tokens', 'Make token', 'token.form'],
  ['account-profile/idle', '/auth/api/account/profile', 'Save', 'account.changed'],
])(
  '%s: a form that is out of date is sent to its page, with what was typed',
  async (state, path, button, code) => {
    const { page } = await open(state, { [path]: problem(409, { code }) });
    await stays(page, `**${path.replace('/api', '')}`);
    await page.getByLabel('Name').fill('typed');
    const sent = page.waitForRequest(
      (request) => request.isNavigationRequest() && request.method() === 'POST',
    );
    await page.getByRole('button', { name: button }).click();
    expect(new URL((await sent).url()).pathname).toBe(path.replace('/api', ''));
    expect((await sent).postData()).toContain('name=typed');
  },
);

test('the page of the passkeys loads again when another account is signed in', async () => {
  const { page } = await open('account-passkeys/none', {
    '/auth/api/account/passkeys/begin': problem(409, { code: 'account.changed' }),
  });
  const loaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await loaded;
});

test('the error of a field goes while the field is edited, also beside a rule that is met', async () => {
  const { page } = await open('signup/idle');
  const error = page.locator('#password-error');
  const repeated = page.locator('#confirm_password-error');
  await page.getByLabel('Email').fill('mara@example.com');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByLabel('Confirm Password').fill('short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect.poll(() => error.textContent()).toContain('8 characters');
  await page.keyboard.insertText('violet harbour lantern');
  await page.getByText('Strength: strong').waitFor();
  expect(await error.textContent()).toBe('');
  expect(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid')).toBe('false');
  expect(await focused(page)).toBe('password');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect.poll(() => repeated.textContent()).toContain("don't match");
  await page.getByLabel('Password', { exact: true }).fill('short');
  expect(await repeated.textContent()).toBe('');
});

test('a rejected sign-in asks about a mistyped domain, and so does the page that sends a link', async () => {
  const { page, complaints } = await open('signin/idle', {
    [SIGNIN]: problem(401, { code: 'signin.rejected' }),
  });
  await page.getByLabel('Email').fill('mara@gmial.com');
  await page.getByLabel('Password', { exact: true }).fill('some password');
  expect(await page.getByText('Did you mean').count()).toBe(0);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.getByRole('button', { name: 'Did you mean mara@gmail.com?' }).click();
  expect(await page.getByLabel('Email').inputValue()).toBe('mara@gmail.com');
  await page.goto(`${world.origin}/dev/screens/forgot-password/idle/light`);
  await hydrated(page);
  await page.getByLabel('Email').fill('mara@gmial.com');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Did you mean mara@gmail.com?' }).waitFor();
  expect(complaints).toEqual([]);
});

test('an address that nobody carried wipes nothing that the browser has filled in', async () => {
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    const written: string[] = [];
    Object.assign(globalThis, { written });
    const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    Object.defineProperty(HTMLInputElement.prototype, 'value', {
      ...value,
      set(text: string) {
        written.push(text);
        value?.set?.call(this, text);
      },
    });
  });
  for (const path of ['signin/idle', 'signup/idle', 'forgot-password/idle']) {
    await page.goto(world.origin + shown(path));
    await hydrated(page);
    expect(await page.evaluate('written'), path).toEqual([]);
  }
  await context.close();
});

test('rules that were met before the script came are ticked when it comes', async () => {
  const { page } = await visit(world, '/dev/screens/signup/idle/light', {
    early: (page) => page.locator('#password').pressSequentially('violet harbour lantern'),
  });
  await page.getByText('Strength: strong').waitFor();
  expect(await page.getByText('(met)').count()).toBe(2);
});

test('an obvious slip needs no request', async () => {
  const { page, complaints } = await open('signin/idle');
  await page.getByLabel('Email').fill('mara');
  await page.getByRole('button', { name: 'Login' }).click();
  expect(await page.locator('#email-error').textContent()).toContain('name@example.com');
  expect(await page.locator('#password-error').textContent()).toBe('Enter your password.');
  expect(await focused(page)).toBe('email');
  expect(complaints).toEqual([]);
});

test('too many tries: the words alone count down, and the button comes back by itself', async () => {
  const { page } = await open('signin/idle', {
    [SIGNIN]: problem(429, { code: 'throttle.limited', retry_after: 2 }),
  });
  await signIn(page);
  const button = page.getByRole('button', { name: 'Login' });
  const seen = page.getByRole('alert').locator('[aria-hidden]');
  await expect.poll(() => seen.textContent()).toBe('Too many attempts. Try again in 2 seconds.');
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  expect(await button.textContent()).toBe('Login');
  await expect.poll(() => seen.textContent()).toBe('Too many attempts. Try again in 1 second.');
  const read = page.getByText('Try again in 2 seconds.'); // once: a screen reader would read each change
  expect(await read.count()).toBe(1);
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
  expect(await page.getByRole('alert').textContent()).toBe('You can try again now.');
});

test('too many tries for an address: another one need not wait', async () => {
  const { page } = await open('signin/idle', {
    [SIGNIN]: problem(429, { code: 'throttle.limited', retry_after: 900 }),
  });
  await signIn(page);
  const button = page.getByRole('button', { name: 'Login' });
  const seen = page.getByRole('alert').locator('[aria-hidden]');
  await expect.poll(() => seen.textContent()).toContain('15 minutes');
  await page.getByLabel('Password', { exact: true }).fill('another password');
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel('Email').fill('other@example.com');
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
  expect(await page.getByRole('alert').textContent()).toBe('');
  const sent = page.waitForRequest(`**${SIGNIN}`);
  await button.click();
  expect((await sent).postDataJSON()).toMatchObject({ email: 'other@example.com' });
  await expect.poll(() => seen.textContent()).toContain('15 minutes');
});

test('the same holds for a document that came with the refusal', async () => {
  const { page } = await open('signin/limited');
  const button = page.getByRole('button', { name: 'Login' });
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
  expect(await button.textContent()).toBe('Login');
  await page.getByLabel('Email').press('End');
  await page.keyboard.type('m');
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
});

test.each([
  ['account-data/limited', '24 hours'],
  ['device/limited', '52 minutes'],
])('the words of %s count down on a page of native forms, too', async (state, wait) => {
  const { page, complaints } = await open(state);
  const shown = page.getByRole('alert').locator('[aria-hidden]');
  await expect.poll(() => shown.textContent()).toBe(`Too many attempts. Try again in ${wait}.`);
  expect(complaints).toEqual([]);
});

test('the message goes while another try is under way, and the focus stays in the form', async () => {
  const api: Api = { [SIGNIN]: 'abort' };
  const { page } = await open('signin/idle', api);
  await signIn(page);
  api[SIGNIN] = 'hang';
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.locator('button[aria-busy=true]').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Login');
});

test('a password and its repetition are asked for each in its own words', async () => {
  const { page, complaints } = await open('signup/idle');
  const said = () => page.locator('#password-error, #confirm_password-error').allTextContents();
  const [password, confirm] = [page.locator('#password'), page.locator('#confirm_password')];
  const press = () => page.getByRole('button', { name: 'Create account' }).click();
  await press();
  await expect.poll(said).toEqual(['Enter your password.', 'Repeat your password.']);
  await password.fill('tram lemon kite');
  await press();
  await expect.poll(said).toEqual(['', 'Repeat your password.']);
  await confirm.fill('tram lemon');
  await press();
  await expect.poll(said).toEqual(['', "Passwords don't match."]);
  expect(complaints).toEqual([]);
});

test.each([
  ['abort', "We couldn't reach the server. Check your connection and try again."],
  [
    problem(500, { code: 'internal' }),
    'Something went wrong on our end. Try again in a moment.Request ID: 01JD3K8V5Q',
  ],
  [
    problem(502, { code: 'brand.new' }),
    '(brand.new). Try again. If it keeps happening, contact support.Request ID: 01JD3K8V5Q',
  ],
  [
    { status: 502, text: '<html>Bad Gateway</html>' },
    'The service is temporarily unavailable. Try again in a moment.',
  ],
  [{ status: 503, text: '' }, 'The service is temporarily unavailable. Try again in a moment.'],
  [{ status: 504, body: { message: 'timeout' } }, 'The service is temporarily unavailable.'],
  [{ status: 403, text: '<html>Blocked</html>' }, "The server's answer couldn't be read."],
  [{ status: 200, text: '<html>Welcome to our hotel</html>' }, "The server's answer couldn't be read."],
  [{ status: 200, text: '' }, "The server's answer couldn't be read."],
  [{ status: 200, body: {} }, "The server's answer couldn't be read."],
  [{ status: 204, text: '' }, "The server's answer couldn't be read."],
] as const)('%j: the words, the values kept and another try', async (answer, words) => {
  const api: Api = { [SIGNIN]: answer };
  const { page } = await open('signin/idle', api);
  await signIn(page);
  await expect.poll(() => page.getByRole('alert').textContent()).toContain(words);
  const named = typeof answer === 'object' && 'body' in answer && 'request_id' in answer.body;
  expect(await page.getByText('Request ID:').count(), 'no id that there is none of').toBe(named ? 1 : 0);
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('some password');
  api[SIGNIN] = { body: { next: '/dev/screens/signed-out/idle/light' } };
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL('**/signed-out/idle/light');
});

test('a proxy that asks for patience is obeyed, and offers another try afterwards', async () => {
  const { page } = await open('signin/idle', {
    [SIGNIN]: { status: 503, text: 'busy', headers: { 'retry-after': '2' } },
  });
  await signIn(page);
  await expect.poll(() => page.getByRole('button', { name: 'Login' }).textContent()).toContain('(0:0');
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Try again' }).waitFor({ timeout: 20_000 });
});

test('offline is named as what it is', async () => {
  const { page } = await openAlone('signin/idle', { [SIGNIN]: 'abort' });
  await page.context().setOffline(true);
  await signIn(page);
  await expect.poll(() => page.getByRole('alert').textContent()).toContain("You're offline.");
});

test('no answer in 20 seconds is said, and the late answer is not awaited', async () => {
  const { page } = await openAlone('signin/idle', { [SIGNIN]: 'hang' });
  await page.clock.install();
  await signIn(page);
  await page.locator('button[aria-busy=true]').waitFor();
  await page.clock.runFor(20_000);
  await expect
    .poll(() => page.getByRole('alert').textContent())
    .toContain('The server took too long to respond.');
});

test('busy: one request, the same width, still in the tab order', async () => {
  const { page } = await open('signin/idle', { [SIGNIN]: 'hang' });
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().endsWith(SIGNIN)) requests += 1;
  });
  const button = page.getByRole('button', { name: 'Login' });
  const before = await button.boundingBox();
  await signIn(page);
  await page.locator('button[aria-busy=true]').waitFor();
  await button.click({ force: true });
  await page.getByLabel('Email').press('Enter');
  expect(await button.boundingBox()).toEqual(before);
  expect(await button.getAttribute('disabled')).toBeNull();
  expect(requests).toBe(1);
});

test('a page that comes back from the history is not busy and asks who is signed in', async () => {
  const { page } = await open('signin/idle', {
    [SIGNIN]: 'hang',
    '/auth/api/session': problem(401, { code: 'session.required' }),
  });
  await signIn(page);
  await page.locator('button[aria-busy=true]').waitFor();
  const asked = page.waitForRequest('**/auth/api/session');
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await asked;
  await page.locator('main form button[aria-busy=false]', { hasText: 'Login' }).waitFor();
});

test.each([
  ['signin/idle', 'Login'],
  ['signin/all-providers', 'Continue with GitHub'],
  ['account-profile/saved', 'Undo'],
])('a user who stops the way to the next page finds no busy button: %s', async (state, name) => {
  const { page } = await openAlone(state, { [SIGNIN]: { body: { next: '/auth/account' } } });
  await page.route('**/auth/{account,account/profile/undo,provider/github/start}', () => {}); // slow
  if (name === 'Login') {
    await page.getByLabel('Email').fill('mara@example.com');
    await page.getByLabel('Password', { exact: true }).fill('some password');
  }
  const devtools = await page.context().newCDPSession(page);
  const left = page.waitForRequest((request) => request.isNavigationRequest());
  const pressed = page.getByRole('button', { name }).click(); // it waits for the next page
  await left;
  await devtools.send('Page.stopLoading'); // as Escape and the button of the browser do
  await pressed;
  await page.locator('button[aria-busy=false]', { hasText: name }).waitFor();
});

const PICTURE = fileURLToPath(new URL('../../docs/images/signin.png', import.meta.url));

test('a picture whose way was stopped is not shown as if it were saved, and may be chosen again', async () => {
  const { page } = await openAlone('account-profile/idle');
  let sent = () => {};
  await page.route('**/auth/account/profile/picture', () => sent()); // slow
  const devtools = await page.context().newCDPSession(page);
  for (const _ of ['once', 'again']) {
    const left = new Promise<void>((resolve) => {
      sent = resolve;
    });
    await page.getByLabel('Choose a picture').setInputFiles(PICTURE);
    await left;
    await devtools.send('Page.stopLoading');
    await page.locator('main img').waitFor({ state: 'detached' });
  }
});

test('Back to a page where a picture was chosen does not send it again', async () => {
  const { page } = await openAlone('account-profile/idle');
  let posts = 0;
  await page.route('**/auth/account/profile/picture', (route) => {
    posts += 1;
    expect(route.request().postData()).toContain('filename="signin.png"');
    return route.fulfill({ status: 303, headers: { location: shown('account-profile/picture') } });
  });
  await page.getByLabel('Choose a picture').setInputFiles(PICTURE);
  await page.waitForURL('**/account-profile/picture/**');
  await page.goBack();
  await page.waitForURL('**/account-profile/idle/**');
  await hydrated(page);
  expect(
    await page.locator('[name=picture]').evaluate((input) => (input as HTMLInputElement).files?.length),
  ).toBe(0);
  expect(posts).toBe(1);
});

test('what was saved before is not said beside what is refused now', async () => {
  const fields = [{ name: 'name', code: 'name.too_long', params: { count: '100' } }];
  const { page } = await open('account-profile/saved', {
    '/auth/api/account/profile': problem(422, { code: 'invalid', fields }),
  });
  const saved = page.getByText('Saved.', { exact: true });
  await saved.waitFor();
  await page.getByLabel('Name').fill('Mara '.repeat(30));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Use at most 100 characters.').waitFor();
  expect(await saved.count()).toBe(0);
  await page.getByLabel('Name').fill('Mara');
  await page.getByText('Use at most 100 characters.').waitFor({ state: 'detached' });
  expect(await saved.count()).toBe(0);
});

test('a removed picture can be brought back when a name is refused', async () => {
  const fields = [{ name: 'name', code: 'name.too_long', params: { count: '100' } }];
  const { page } = await visit(world, shown('account-profile/picture'), {
    api: { '/auth/api/account/profile': problem(422, { code: 'invalid', fields }) },
    early: (page) => page.evaluate(() => sessionStorage.setItem('portico.picture', '["p1",""]')),
  });
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.getByLabel('Name').fill('Mara '.repeat(30));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Use at most 100 characters.').waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
});

test('a link to a part of the page does not free the button of a form that is on its way', async () => {
  const { page } = await open('signin/idle', { [SIGNIN]: 'hang' });
  await signIn(page);
  await page.locator('button[aria-busy=true]').waitFor();
  const busy = await page.evaluate(async () => {
    for (const name of ['navigateerror', 'navigate']) navigation.dispatchEvent(new Event(name)); // as Chromium does then
    for (const _ of ['the timer', 'what it changes']) await new Promise((done) => setTimeout(done));
    return document.querySelectorAll('button[aria-busy=true]').length;
  });
  expect(busy).toBe(1);
});

test.each([
  ['account-passkeys/none', '/auth/api/account/passkeys/begin', 'Add a passkey', 'p1'],
  ['protect/idle', '/auth/api/protect/passkey/begin', 'Create a passkey instead', ''],
])('a passkey button that comes back from the history is not busy: %s', async (state, path, name, id) => {
  const { page } = await open(state, {
    [path]: 'hang',
    '/auth/api/session': id ? { body: { user: { id } } } : problem(401, { code: 'session.required' }),
  });
  await page.getByRole('button', { name }).click();
  await page.locator('button[aria-busy=true]').waitFor();
  await page.route('**/dev/screens/**', (route) => route.abort()); // it must not load the page anew
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  const idle = page.locator('button[aria-busy=false]', { hasText: name });
  await idle.waitFor({ timeout: 15_000 }); // the request itself is given up after 20 s
});

test.each([
  ['the same person', 'p1', false],
  ['somebody else', 'p2', true],
])('a page that comes back from the history to %s', async (_, id, reloads) => {
  const { page } = await openAlone('signup/signed-in', {
    '/auth/api/session': { body: { user: { id, email: 'mara@xn--bcher-kva.example' } } },
  });
  let loads = 0;
  page.on('request', (request) => {
    loads += Number(request.isNavigationRequest());
  });
  const read = await reading(page);
  const done = reloads ? page.waitForEvent('load') : read('/auth/api/session');
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await done;
  expect(loads > 0).toBe(reloads);
});

test('the address goes along to the next screen, not in the URL', async () => {
  const { page } = await open('signin/idle');
  await page.getByLabel('Email').fill('mara@example.com');
  // The gallery has no /auth/forgot-password: the link is pressed, and its page opened by hand.
  await page.evaluate(() => addEventListener('click', (event) => event.preventDefault()));
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.goto(`${world.origin}/dev/screens/forgot-password/idle/light`);
  await hydrated(page);
  expect(await page.getByLabel('Email').inputValue()).toBe('mara@example.com');
  expect(page.url()).not.toContain('mara');
});

test.each(['signin', 'signup'])(
  'another language keeps the address that was typed for %s',
  async (screen) => {
    const { page, complaints } = await open(`${screen}/idle`);
    await page.getByLabel('Email').fill('mara@example.com');
    await page.locator('.language-menu summary').click();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor(); // to which the gallery leads back
    await hydrated(page);
    expect(await page.locator('#email').inputValue()).toBe('mara@example.com');
    expect(complaints).toEqual([]);
  },
);

test('the icon of a provider stands before its name, also while the button is busy', async () => {
  const { page, complaints } = await open('signin/idle');
  await stays(page, '**/auth/provider/**');
  const button = page.getByRole('button', { name: 'Continue with Google' });
  const left = async (part: string) => (await button.locator(part).first().boundingBox())?.x ?? 0;
  expect(await left('svg')).toBeLessThan(await left('span >> text=Continue'));
  await button.evaluate((element: HTMLButtonElement) => element.click());
  await expect.poll(() => button.getAttribute('aria-busy')).toBe('true');
  expect(await button.locator('svg').count()).toBe(1);
  expect(complaints).toEqual([]);
});

test('a second press on a provider starts no second attempt', async () => {
  const { page } = await open('signin/idle');
  const posts: string[] = [];
  await page.route('**/auth/provider/**', (route) => {
    posts.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`);
  });
  const button = page.getByRole('button', { name: 'Continue with Google' });
  const busy = await button.evaluate(async (element: HTMLButtonElement) => {
    element.click();
    await null;
    element.click();
    return element.ariaBusy;
  });
  expect(busy).toBe('true');
  await expect.poll(() => posts).toEqual(['POST /auth/provider/google/start']);
});

test.each(['used', 'replaced', 'expired', 'malformed'])(
  'a link that turns out to be %s loads the document that says so',
  async (state) => {
    const { page } = await open('confirm-link/ready', {
      '/auth/api/confirm-link': problem(409, { code: `link.${state}` }),
    });
    await stays(page, '**/dev/screens/**');
    const again = page.waitForRequest((request) => request.isNavigationRequest());
    await page.getByRole('button', { name: 'Confirm address' }).click();
    await again;
  },
);

test('success is said before the next page is there', async () => {
  const { page } = await open('signin/idle', { [SIGNIN]: { body: { next: '/slow' } } });
  await stays(page, '**/slow');
  await signIn(page);
  await page
    .getByRole('status')
    .filter({ hasText: 'Done. Loading the next page.' })
    .waitFor({ state: 'attached' });
});

test('who sends the mail is said where it is waited for, and nothing when nobody does', async () => {
  const { page } = await open('verify-code/idle');
  const words = page.getByText('Check your spam folder. The email comes from no-reply@example.org.');
  await page.getByText('More help').click();
  expect(await words.isVisible()).toBe(true);
  await page.goto(`${world.origin}/dev/screens/verify-code/no-sender/light`);
  expect(await page.getByText('Check your spam folder').count()).toBe(0);
});

test('a press that is meant for another link loads the page of that one, which says so', async () => {
  const { page } = await open('confirm-link/ready', {
    '/auth/api/confirm-link': problem(409, { code: 'link.changed' }),
  });
  await stays(page, '**/auth/confirm-link?changed'); // the gallery has no such page
  const sent = page.waitForRequest('**/auth/api/confirm-link');
  const loaded = page.waitForRequest('**/auth/confirm-link?changed');
  await page.getByRole('button', { name: 'Confirm address' }).click();
  expect((await sent).postDataJSON()).toEqual({ link: 'mark1' });
  await loaded;
});

test('the age of the newest mail is named by a link that it replaced', async () => {
  const { page } = await open('confirm-link/replaced');
  expect(await page.getByText('We sent a newer email to m•••@example.com 3 minutes ago.').count()).toBe(1);
});

test('Back shows a page of the account again only after an answer', async () => {
  const { page, complaints } = await visit(world, '/dev/screens/account-profile/idle/light', {
    api: { '/auth/api/session': 'abort' },
  });
  const again = page.waitForEvent('load');
  await page.evaluate(() => {
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    if (document.documentElement.style.visibility !== 'hidden') throw new Error('it is shown');
  });
  await again;
  expect(complaints).toEqual([]);
});

test('a page that Back shows is hidden until the server has said who is signed in', async () => {
  const { page } = await open('account/idle');
  let answer = () => {};
  const asked = new Promise<void>((arrived) => {
    void page.route('**/auth/api/session', (route) => {
      answer = () => void route.fulfill({ json: { user: { id: 'p1' } } });
      arrived();
    });
  });
  const heading = page.getByRole('heading', { level: 1 });
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await asked;
  expect(await heading.isVisible()).toBe(false);
  answer();
  await heading.waitFor();
});

test.each(['account/idle', 'account-factors/setup', 'account-factors/codes', 'account-tokens/made'])(
  'a sign-out in another tab is noticed when the person comes back to %s',
  async (state) => {
    const { page } = await open(state, { '/auth/api/session': problem(401, { code: 'session.ended' }) });
    const reloaded = page.waitForEvent('load');
    await page.evaluate(() => void setTimeout(() => dispatchEvent(new Event('focus'))));
    await reloaded;
  },
);

test.each([true, false])(
  'an entry that has changed has the ring of the focus for a keyboard only: %s',
  async (keyed) => {
    const { page } = await visit(world, shown('account-browsers/ended'), { hydrate: false, alone: true });
    await page.addInitScript(
      (keyed) => sessionStorage.setItem('portico-rows', JSON.stringify([location.pathname, [0], keyed])),
      keyed,
    );
    await page.reload();
    await hydrated(page);
    const style = await page.locator('.entry:focus').evaluate((row) => {
      const { outlineStyle, borderRadius } = getComputedStyle(row);
      return [outlineStyle, borderRadius !== '0px'];
    });
    expect(style).toEqual([keyed ? 'solid' : 'none', true]);
  },
);

test('what was typed before the script came is still there, and so is the code', async () => {
  for (const [path, field, value] of [
    ['signin/idle', '#email', 'early@example.com'],
    ['verify-code/idle', '#code', '12345'],
  ] as const) {
    const context = await world.browser.newContext();
    const page = await context.newPage();
    const release = await holdScript(page);
    await page.goto(world.origin + shown(path), { waitUntil: 'commit' });
    await page.locator(field).pressSequentially(value);
    const toggle = page.locator('[aria-controls=password]');
    const dead = [await toggle.isVisible(), await page.locator('main').boundingBox()];
    release();
    await hydrated(page);
    expect(dead).toEqual([false, await page.locator('main').boundingBox()]);
    expect(await toggle.isVisible()).toBe(field === '#email');
    expect(await page.locator(field).inputValue()).toBe(value);
    await context.close();
  }
});

test('a press that lacks a proof leads to the words that ask for it, and back to the button after it', async () => {
  const path = '/auth/api/account/addresses';
  const { page, complaints } = await visit(world, shown('account-addresses/several'), {
    viewport: { width: 360, height: 640 },
    api: { [path]: problem(401, { code: 'proof.needed' }) },
  });
  await page.evaluate(() => {
    for (const status of document.querySelectorAll<HTMLElement>('[role=status]'))
      status.dataset['before'] = '';
  });
  await page.getByLabel('Email').fill('mara@example.org');
  const button = page.locator('main form button', { hasText: 'Send' });
  const words = page.getByRole('link', { name: 'Sign in again' }).locator('xpath=..');
  const has = (element: Locator) => element.evaluate((shown) => shown === document.activeElement);
  for (const _ of ['once', 'again']) {
    await button.click();
    await expect.poll(() => has(words)).toBe(true); // and not the link, which a second Enter would press
    const box = await words.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(640);
  }
  expect(await page.locator('[data-before] a', { hasText: 'Sign in again' }).count()).toBe(1); // or its words may not be read
  await page.evaluate(() => new BroadcastChannel('portico-proof').postMessage('#proven'));
  await expect.poll(() => has(button)).toBe(true);
  expect(complaints).toEqual([]);
});

test.each([
  ['account-addresses/several', 'addresses', 'Send code', "We'll keep what you entered."],
  ['account-delete/idle', 'delete', 'Delete my account', "Confirm it's you to continue."],
])(
  'a press after a sign-out in another tab says that there was one: %s',
  async (state, path, name, words) => {
    const { page } = await open(state, {
      [`/auth/api/account/${path}`]: problem(401, { code: 'session.required' }),
    });
    if (path === 'addresses') await page.getByLabel('Email').fill('mara@example.org');
    await page.getByRole('button', { name, exact: true }).first().click();
    const last = page.getByRole('dialog').getByRole('button').first();
    if (await last.isVisible()) await last.click();
    const said = page.getByRole('status').getByText("You're signed out. Confirm it's you");
    await expect.poll(() => said.textContent()).toContain(words);
  },
);

// A channel that opens anew with each change of the page misses what is said in between.
test('a page listens to the window of a new sign-in without a gap', async () => {
  const fields = [{ name: 'name', code: 'field.required' }];
  const { page } = await open('account-profile/proof-again', {
    '/auth/api/account/profile': problem(422, { code: 'invalid', fields }),
  });
  await page.evaluate(() => {
    const Real = BroadcastChannel;
    window.BroadcastChannel = class extends Real {
      constructor(name: string) {
        super(name);
        document.title = 'opened anew';
      }
    };
  });
  await page.locator('#name').press('Enter');
  await page.locator('#name[aria-invalid]').waitFor();
  expect(await page.title()).not.toBe('opened anew');
});
