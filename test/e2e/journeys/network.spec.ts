import { answerWith } from '../support/answer.js';
import {
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  fillSignUp,
  open,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

/** Delays requests until it is opened. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test('a slow answer: the button says so, and one press counts', async ({ page, world }) => {
  const person = await world.member();
  await open(page, '/auth/signin');
  let calls = 0;
  const held = gate();
  await page.route('**/auth/api/signin', async (route) => {
    calls += 1;
    await held.opened;
    await route.continue();
  });
  await fillSignIn(page, person);
  const login = button(page, 'Login');
  const width = (await login.boundingBox())?.width;
  await login.click();
  await expect(login).toHaveAttribute('aria-busy', 'true');
  await expect(login).toHaveAttribute('aria-disabled', 'true');
  expect((await login.boundingBox())?.width).toBe(width);
  await login.press('Enter');
  await field(page, 'Password').press('Enter');
  held.open();
  await expectAccount(page, person);
  expect(calls).toBe(1);
});

test('no answer: the words say so, the values stay, and Try again does it', async ({
  page,
  world,
  guard,
}) => {
  guard.allow(/net::ERR_CONNECTION_REFUSED/);
  const person = await world.member();
  await open(page, '/auth/signin');
  await page.route('**/auth/api/signin', (route) => route.abort('connectionrefused'), { times: 1 });
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expect(page.getByRole('alert')).toContainText(
    "We couldn't reach the server. Check your connection and try again.",
  );
  await expect(field(page, 'Email')).toHaveValue(person.email);
  await expect(field(page, 'Password')).toHaveValue(person.password);
  await button(page, 'Try again').click();
  await expectAccount(page, person);
});

test('offline: the words say so, and nothing is lost', async ({ page, world, guard, context }) => {
  guard.allow(/net::ERR_INTERNET_DISCONNECTED/);
  const person = world.stranger();
  await open(page, '/auth/signup');
  await fillSignUp(page, person);
  await context.setOffline(true);
  await button(page, 'Create account').click();
  await expect(page.getByRole('alert')).toContainText("You're offline. Your entries are still here.");
  await context.setOffline(false);
  await button(page, 'Try again').click();
  await expectScreen(page, 'Verify your code');
});

test('too many tries: the seconds are counted, and then it goes on by itself', async ({ page, world }) => {
  const person = await world.member();
  await open(page, '/auth/signin');
  await answerWith(page, 'signin', { status: 429, code: 'throttle.limited', retry_after: 2 });
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expect(page.getByRole('alert')).toContainText('Too many attempts. Try again in 2 seconds.');
  const login = button(page, 'Login');
  await expect(login).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText('You can try again now.')).toBeVisible();
  await expect(login).toHaveAttribute('aria-disabled', 'false');
  await expect(field(page, 'Password')).toHaveValue(person.password);
  await login.click();
  await expectAccount(page, person);
});

test('overloaded: the words name the wait and the request', async ({ page, world }) => {
  const person = await world.member();
  await open(page, '/auth/signin');
  const id = 'q7m2c9x4k1t8v5b3n6z0r2w9d4';
  await answerWith(page, 'signin', { status: 503, code: 'hashing.busy', retry_after: 1, request_id: id });
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expect(page.getByRole('alert')).toContainText(
    'A lot of people are signing in right now. Try again in 1 second.',
  );
  await expect(page.getByText(`Request ID: ${id}`)).toBeVisible();
  await expect(page.getByRole('button', { name: /^Login/ })).toHaveAccessibleName('Login');
  await button(page, 'Try again').click();
  await expectAccount(page, person);
});

test('a defect of the server: the request id is there to quote, and the values stay', async ({
  page,
  world,
}) => {
  const person = await world.member();
  await open(page, '/auth/signin');
  await answerWith(page, 'signin', {
    status: 500,
    code: 'internal',
    request_id: 'q7m2c9x4k1t8v5b3n6z0r2w9d4',
  });
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expect(page.getByRole('alert')).toContainText('Something went wrong on our end.');
  await expect(page.getByText('Request ID: q7m2c9x4k1t8v5b3n6z0r2w9d4')).toBeVisible();
  await expect(field(page, 'Email')).toHaveValue(person.email);
  await button(page, 'Try again').click();
  await expectAccount(page, person);
});

test("a proxy's page in place of an answer is an error like others", async ({ page, world }) => {
  await open(page, '/auth/signin');
  await page.route('**/auth/api/signin', (route) =>
    route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }),
  );
  await fillSignIn(page, world.stranger());
  await button(page, 'Login').click();
  await expect(page.getByRole('alert')).toContainText('The service is temporarily unavailable.');
  await expect(page.getByText('Request ID:')).toHaveCount(0);
  await expect(button(page, 'Try again')).toBeVisible();
});

test('the script does not arrive: the form works all the same', async ({ page, world, guard }) => {
  guard.allow(/net::ERR_FAILED/);
  const person = await world.member();
  await page.route('**/auth/assets/*.js', (route) => route.abort());
  await page.goto('/auth/signin');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
});

test('text that was typed before hydration stays', async ({ page, world }) => {
  const person = await world.member();
  const arrived = gate();
  await page.route('**/auth/assets/*.js', async (route) => {
    await arrived.opened;
    await route.continue();
  });
  await page.goto('/auth/signin', { waitUntil: 'commit' });
  await fillSignIn(page, person);
  arrived.open();
  await page.waitForLoadState();
  await expect(field(page, 'Email')).toHaveValue(person.email);
  await expect(field(page, 'Password')).toHaveValue(person.password);
  await button(page, 'Login').click();
  await expectAccount(page, person);
});
