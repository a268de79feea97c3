import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, shown, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test.each([
  [
    'signin/idle',
    { '#email': 'mara@example.com', '#password': 'some password' },
    'Login',
    'email=mara%40example.com&password=some+password',
  ],
  [
    'signin/linking',
    { '#email': 'mara@example.com', '#password': 'pw' },
    'Login',
    'flow=flow2&email=mara%40example.com&password=pw',
  ],
  ['signin/all-providers', {}, 'Continue with GitHub', 'return_to=%2Freports%3Fpage%3D2%26sort%3D%22new%22'],
  [
    'signup/idle',
    { '#email': 'm@x.test', '#password': 'tram-lemon', '#confirm_password': 'tram-lemon' },
    'Create account',
    'email=m%40x.test&password=tram-lemon&confirm_password=tram-lemon',
  ],
  [
    'signup/name',
    {
      '#name': 'Zoë Ålund',
      '#email': 'm@x.test',
      '#password': 'tram-lemon',
      '#confirm_password': 'tram-lemon',
    },
    'Create account',
    'name=Zo%C3%AB+%C3%85lund&email=m%40x.test&password=tram-lemon&confirm_password=tram-lemon',
  ],
  ['signin-code/idle', { '#email': 'm@x.test' }, 'Send code', 'email=m%40x.test'],
  ['forgot-password/idle', { '#email': 'm@x.test' }, 'Send reset link', 'email=m%40x.test'],
  ['verify-code/idle', { '#code': '894 529' }, 'Verify', 'flow=flow1&code=894+529'],
  ['verify-code/idle', {}, 'Resend', 'flow=flow1'],
  ['confirm-link/ready', {}, 'Confirm address', 'link=mark1'],
  ['confirm-link/expired', {}, 'Send a new link', 'link=mark1'],
  [
    'confirm-link/password',
    { '#password': 'tram-lemon' },
    'Confirm address',
    'link=mark1&password=tram-lemon',
  ],
  ['confirm-link/password', {}, 'Choose a password', 'link=mark1'],
  [
    'reset-password/idle',
    { '#password': 'tram-lemon', '#confirm_password': 'tram-lemon' },
    'Save password',
    'flow=flow1&password=tram-lemon&confirm_password=tram-lemon',
  ],
  ['account/idle', {}, 'Sign out', ''],
  ['account-apps/idle', {}, 'Remove Miniflux', 'account=p1&app=miniflux'],
  ['account-profile/saved', {}, 'Undo', 'account=p1'],
  ['account-data/idle', {}, 'Download JSON', 'account=p1'],
  ['account-providers/idle', {}, 'Connect GitHub', 'account=p1&provider=github'],
  ['account-providers/idle', {}, 'Disconnect Google', 'account=p1&provider=google'],
  ['new-passkey/offer', {}, 'No, thanks', 'account=p1&return_to=%2Fwiki'],
  ['account-delete/idle', {}, 'Delete my account', 'account=p1'],
  ['protect/grace', { '#code': '894529' }, 'Turn on', 'flow=flow1&code=894529'],
  ['protect/grace', {}, 'Later', 'flow=flow1'],
  ['protect/idle', {}, 'Use another account', 'flow=flow1'],
  ['keep/idle', {}, 'Keep my account', 'flow=flow1'],
  ['keep/idle', {}, 'Delete it anyway', 'flow=flow1'],
  [
    'consent/idle',
    {},
    'Continue',
    'account=p1&request=client_id%3Dminiflux&scopes=openid+email&answer=allow',
  ],
  ['consent/idle', {}, 'Cancel', 'account=p1&request=client_id%3Dminiflux&scopes=openid+email&answer=deny'],
  ['device/idle', { '#code': 'wdjb mjht' }, 'Continue', 'code=wdjb+mjht'],
  ['device/confirm', {}, 'Yes, sign in', 'account=p1&code=WDJB-MJHT&answer=allow'],
  ['device/confirm', {}, 'Cancel', 'account=p1&code=WDJB-MJHT&answer=deny'],
  ['sign-out/idle', {}, 'Sign out', 'account=p1&request=client_id%3Dminiflux'],
])('without script, %s posts %j by %j', async (path, values, button, body) => {
  const { page } = await visit(world, shown(path), { javaScriptEnabled: false, hydrate: false });
  for (const [field, value] of Object.entries(values)) await page.locator(field).fill(value);
  const posted = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByRole('button', { name: button, exact: true }).click();
  const last = page.getByRole('dialog').getByRole('button').first(); // asks before something is lost
  if (await last.isVisible()) await last.click();
  expect((await posted).postData() ?? '').toBe(body);
  for (const idle of [
    page.getByRole('button', { name: 'Show password' }),
    page.getByText(/We check the code as soon as/),
  ]) {
    expect(await idle.filter({ visible: true }).count()).toBe(0); // without script it would be a lie
  }
});

// After a refused form the page has the address of that form, so its other forms must not post to where the page is.
test.each([
  ['verify-code/idle', 'Verify', '/auth/verify-code?flow=flow1'],
  ['verify-code/idle', 'Resend', '/auth/verify-code/resend?flow=flow1'],
  ['confirm-link/password', 'Confirm address', '/auth/confirm-link'],
  ['confirm-link/password', 'Choose a password', '/auth/confirm-link/anew'],
  ['confirm-link/expired', 'Send a new link', '/auth/confirm-link/resend'],
  ['mfa/idle', 'Use another account', '/auth/mfa/restart?flow=flow1'],
  ['terms/idle', 'Accept and continue', '/auth/terms?flow=flow1'],
  ['terms/idle', 'Sign out', '/auth/terms/refuse?flow=flow1'],
  ['protect/grace', 'Turn on', '/auth/protect?flow=flow1'],
  ['protect/grace', 'Later', '/auth/protect/later?flow=flow1'],
  ['protect/grace', 'Use another account', '/auth/protect/restart?flow=flow1'],
  ['keep/idle', 'Keep my account', '/auth/keep?flow=flow1'],
  ['keep/idle', 'Delete it anyway', '/auth/keep/drop?flow=flow1'],
  ['account-factors/setup', 'Turn on', '/auth/account/factors?flow=flow1'],
  ['account-factors/codes', "I've saved them", '/auth/account/factors/saved?flow=flow1'],
])('on the page %s, %j posts to %s', async (path, button, to) => {
  const { page } = await visit(world, shown(path), { javaScriptEnabled: false, hydrate: false });
  const form = page.locator('form').filter({ has: page.getByRole('button', { name: button, exact: true }) });
  expect(await form.getAttribute('action')).toBe(to);
});
