import type { Page } from '@playwright/test';
import { Authenticator, withoutOffer } from '../support/passkey.js';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  link,
  open,
  signIn,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';
import type { Person } from '../support/world.js';

const OFFER = 'Sign in faster next time';

/** Gives the password at a sign-in page that knows by now whether the device makes passkeys. */
async function givePassword(page: Page, person: Person, returnTo = ''): Promise<void> {
  await page.context().clearCookies();
  await open(page, `/auth/signin?return_to=${encodeURIComponent(returnTo)}`);
  await expect(page.locator('[name=makes_passkeys]')).toBeAttached();
  await fillSignIn(page, person);
  await button(page, 'Login').click();
}

/** Counts the documents and redirects that the browser meets. */
function countHops(page: Page): string[] {
  const hops: string[] = [];
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) hops.push(`${response.status()} ${response.url()}`);
  });
  return hops;
}

test('after a password a passkey is offered once, before the app and never in its place', async ({
  page,
  world,
}) => {
  const person = await world.member();
  const device = await Authenticator.plugInto(page);
  await device.answer(false);
  const app = `${world.app.origin}/after?a=b#place`;
  await givePassword(page, person, app);
  await expectScreen(page, OFFER);
  await alive(page);
  await expect(button(page, 'No, thanks')).toBeVisible();
  await page.reload();
  await expectScreen(page, OFFER);
  await alive(page);
  const hops = countHops(page);
  await device.verify(false);
  await device.answer(true);
  await button(page, 'Create a passkey').click();
  await expect(page.getByText('No passkey was created. You canceled, or it took too long.')).toBeVisible();
  await device.verify(true);
  await button(page, 'Create a passkey').click();
  await expect(page).toHaveURL(app);
  expect(hops).toHaveLength(1);
  expect(await device.held()).toHaveLength(1);
  await withoutOffer(page);
  await givePassword(page, person, app);
  await expect(page).toHaveURL(app); // who has one is asked no more
});

test('"No, thanks" is for good, for the account and for nobody else', async ({
  page,
  openBrowser,
  world,
}) => {
  const [person, other] = [await world.member(), await world.member()];
  const device = await Authenticator.plugInto(page);
  await device.answer(false);
  const app = `${world.app.origin}/after`;
  await givePassword(page, person, app);
  await expectScreen(page, OFFER);
  await alive(page);
  const hops = countHops(page);
  await button(page, 'No, thanks').click();
  await expect(page).toHaveURL(app);
  expect(hops).toHaveLength(1);

  await givePassword(page, person, app);
  await expect(page).toHaveURL(app);
  const elsewhere = await openBrowser();
  await (await Authenticator.plugInto(elsewhere)).answer(false);
  await givePassword(elsewhere, person, app);
  await expect(elsewhere).toHaveURL(app);
  await givePassword(page, other);
  await expectScreen(page, OFFER);
});

test('a browser that makes passkeys by itself adds one without a press', async ({ page, world }) => {
  const person = await world.member();
  const device = await Authenticator.plugInto(page);
  // Chromium makes them only with Google's password manager, so this stands in for that.
  await page.addInitScript(() => {
    PublicKeyCredential.getClientCapabilities = () => Promise.resolve({ conditionalCreate: true });
    const create = navigator.credentials.create.bind(navigator.credentials);
    navigator.credentials.create = (asked) => {
      const { mediation, ...options } = asked as CredentialCreationOptions & { mediation?: string };
      sessionStorage.setItem('mediation', String(mediation));
      return create(options);
    };
  });
  await givePassword(page, person);
  await expectAccount(page, person);
  await expect.poll(() => device.held()).toHaveLength(1);
  expect(await page.evaluate(() => sessionStorage.getItem('mediation'))).toBe('conditional');
  const subjects = [await world.mailbox.next(person.email), await world.mailbox.next(person.email)];
  expect(subjects.map(({ subject }) => subject)).toContain('A passkey was added to your Portico account');
});

test('a device that makes no passkeys is offered none', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person); // Chromium without a device
  await Authenticator.plugInto(page, { transport: 'usb' }); // a key that may be in another room
  await page.context().clearCookies();
  await signIn(page, person);
});

test('a new user signs up with a passkey in place of a password', async ({ page, world }) => {
  const person = world.stranger();
  const device = await Authenticator.plugInto(page);
  const app = `${world.app.origin}/welcome`;
  await open(page, `/auth/signup?return_to=${encodeURIComponent(app)}`);
  await button(page, 'Sign up with a passkey').click();
  await expect(page.getByText('Enter your email address.')).toBeVisible();
  await expect(page.getByText('Enter a password.')).toBeHidden();
  await field(page, 'Email').fill(person.email);
  await field(page, 'Password').fill('typed by mistake');
  const sent = page.waitForRequest('**/auth/api/signup');
  await button(page, 'Sign up with a passkey').click();
  expect((await sent).postDataJSON()).not.toHaveProperty('password');
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await expectScreen(page, 'Create your passkey');
  await expect(page.getByText(`${person.email} is verified.`)).toBeVisible();
  await alive(page);
  await device.verify(false);
  await button(page, 'Create a passkey').click();
  await expect(page.getByText('No passkey was created. You canceled, or it took too long.')).toBeVisible();
  await device.verify(true);
  await button(page, 'Create a passkey').click();
  await expect(page).toHaveURL(app);

  await open(page, '/auth/account/password');
  await expectScreen(page, 'Set a password');
  await open(page, '/auth/account/passkeys');
  await page.getByText('Rename or remove').click();
  await button(page, 'Remove this passkey').click();
  await expect(page.getByText('This is the only way to sign in to your account.')).toBeVisible();
  await page.context().clearCookies();
  await open(page, '/auth/signin'); // the offer in the field is answered by itself
  await expectAccount(page, person);
});

test('a sign-up with a passkey ends with a password where no passkey can be made', async ({
  page,
  world,
}) => {
  const person = world.stranger();
  await open(page, '/auth/signup');
  await field(page, 'Email').fill(person.email);
  await button(page, 'Sign up with a passkey').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await expectScreen(page, 'Create your passkey');
  await alive(page);
  await link(page, 'Choose a password instead').click();
  await expectScreen(page, 'Choose a password');
  await alive(page);
  await field(page, 'New password').fill(person.password);
  await field(page, 'Confirm Password').fill(person.password);
  await button(page, 'Save password').click();
  await expectAccount(page, person);
});

test('the email link of a sign-up with a passkey leads to the passkey in the browser that opens it', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = world.stranger();
  await open(page, '/auth/signup');
  await field(page, 'Email').fill(person.email);
  await button(page, 'Sign up with a passkey').click();
  await expectScreen(page, 'Verify your code');
  const elsewhere = await openBrowser();
  await Authenticator.plugInto(elsewhere);
  await open(elsewhere, (await world.mailbox.next(person.email)).link);
  await button(elsewhere, 'Confirm address').click();
  await expectScreen(elsewhere, 'Create your passkey');
  await alive(elsewhere);
  await button(elsewhere, 'Create a passkey').click();
  await expectAccount(elsewhere, person);
});
