import { Authenticator, leave, withoutOffer, withoutSignals, withPasskey } from '../support/passkey.js';
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
import { enrol } from '../support/totp.js';

const PASSKEY = 'Sign in with a passkey';
const HELP = 'Contact Portico support';

test('a member adds a passkey and signs in with it alone', async ({ page, world }) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  expect(await device.held()).toMatchObject([{ isResidentCredential: true }]);
  await button(page, 'Add a passkey').click();
  await expect(page.getByText('This device already has a passkey for your account.')).toBeVisible();

  await page.getByText('Rename or remove').click();
  await field(page, 'Name of the passkey').fill("Mara's laptop");
  await button(page, 'Save name').click();
  await expect(page.getByText('The new name is saved.')).toBeVisible();
  await expect(page.getByText("Mara's laptop")).toBeVisible();

  await withoutOffer(page);
  await device.verify(false);
  await leave(page);
  await button(page, PASSKEY).click();
  await expect(page.getByText('You canceled, or it took too long.')).toBeVisible();
  await device.verify(true);
  await button(page, PASSKEY).click();
  await expectAccount(page, person);
});

test('a passkey in the menu of the email field signs in without another press', async ({ page, world }) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  await device.answer(false);
  await leave(page);
  await expect(field(page, 'Email')).toHaveAttribute('autocomplete', 'username webauthn');
  await device.answer(true); // the person chooses it on the next page
  await leave(page);
  await expectAccount(page, person);
});

test('the password signs in while the offer waits, and a code is asked for only then', async ({
  page,
  world,
}) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  await enrol(page);
  await device.answer(false);
  await leave(page);
  await expect(field(page, 'Email')).toHaveAttribute('autocomplete', 'username webauthn');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you");
  await device.answer(true);
  await leave(page);
  await expectAccount(page, person); // by the offer, without a code
});

test('an unknown passkey is named, and the form goes on', async ({ page, world }) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  await withoutSignals(page); // the device does not hear of the removal
  await open(page, '/auth/account/passkeys');
  await page.getByText('Rename or remove').click();
  await button(page, 'Remove this passkey').click();
  await expect(page.getByText('The passkey is removed.')).toBeVisible();
  expect(await device.held()).toHaveLength(1);
  await leave(page);
  await expect(page.getByText("This passkey isn't known here.")).toBeVisible();
  await device.answer(false);
  await expect(field(page, 'Email')).toHaveAttribute('autocomplete', 'username webauthn');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, 'Sign in faster next time'); // the form has signed in
});

test('a device forgets a passkey that no account has', async ({ page }) => {
  const device = await Authenticator.plugInto(page);
  await device.keepStray();
  expect(await device.held()).toHaveLength(1);
  await leave(page);
  await expect(page.getByText("This passkey isn't known here.")).toBeVisible();
  await expect.poll(() => device.held()).toEqual([]);
});

test('a device forgets a removed passkey, and shows the new name and address', async ({ page, world }) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  expect(await device.held()).toMatchObject([{ userName: person.email, userDisplayName: person.email }]);

  await open(page, '/auth/account/profile');
  await field(page, 'Name').fill('Mara Lind');
  await button(page, 'Save').click();
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  await expect
    .poll(() => device.held())
    .toMatchObject([{ userName: person.email, userDisplayName: 'Mara Lind' }]);

  const moved = world.stranger('moved');
  await open(page, '/auth/account/addresses');
  await field(page, 'New email address').fill(moved.email);
  await page.getByLabel('Signing in, instead of').check();
  await button(page, 'Send code').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await field(page, '6-digit code').fill((await world.mailbox.next(moved.email)).code);
  await expect.poll(() => device.held()).toMatchObject([{ userName: moved.email }]);

  await open(page, '/auth/account/passkeys');
  await page.getByText('Rename or remove').click();
  await button(page, 'Remove this passkey').click();
  await expect(page.getByText('The passkey is removed.')).toBeVisible();
  await expect.poll(() => device.held()).toHaveLength(0);
});

test('a copy with an older counter is refused', async ({ page, world }) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  await device.copy(0);
  await withoutOffer(page);
  await leave(page);
  await button(page, PASSKEY).click();
  await expect(page.getByText("This passkey wasn't accepted.")).toBeVisible();
});

test('without user verification no passkey is added', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  await Authenticator.plugInto(page, { transport: 'usb', hasUserVerification: false, isUserVerified: false });
  await open(page, '/auth/account/passkeys');
  await button(page, 'Add a passkey').click();
  await expect(page.getByText('No passkey was added.')).toBeVisible();
});

test('a browser without passkeys keeps the form as it is', async ({ page, world }) => {
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'));
  const person = await world.member();
  await open(page, '/auth/signin');
  await expect(button(page, PASSKEY)).toBeHidden();
  await signIn(page, person);
  await open(page, '/auth/account/passkeys');
  await button(page, 'Add a passkey').click();
  await expect(page.getByText("This browser or device can't make a passkey.")).toBeVisible();
});

test('a holder of a passkey who came by password is asked for it, and for nothing else', async ({
  page,
  world,
}) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  await device.answer(false);
  await leave(page);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
  await open(page, '/auth/account/password');
  const notice = page.getByText("Confirm it's you to make this change.");
  await expect(notice).toBeVisible();
  await open(page, '/auth/account/delete'); // has no field, so nothing typed can stay
  await expect(page.getByText("Confirm it's you to continue.")).toBeVisible();

  await open(page, '/auth/signin?again=1&return_to=/auth/account/password');
  await expectScreen(page, "Confirm it's you");
  await expect(page.getByText(`Use a passkey of ${person.email}.`)).toBeVisible();
  await expect(page.getByText(HELP)).toBeVisible(); // no other way is left
  await device.answer(true);
  await device.verify(false);
  await button(page, 'Use a passkey').click();
  await expect(page.getByText('You canceled, or it took too long.')).toBeVisible();
  await expect(link(page, 'Back to your account')).toHaveAttribute('href', '/auth/account');
  await device.verify(true);
  await button(page, 'Use a passkey').click();
  await expectScreen(page, 'Change your password');
  await expect(notice).toBeHidden();
});

test('a sign-in that waits for a code takes a passkey in its place', async ({ page, world }) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  await enrol(page);
  await device.answer(false);
  await leave(page);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you"); // the app was used last
  await expect(field(page, '6-digit code')).toBeVisible();
  await link(page, 'Use a passkey instead').click();
  await expect(link(page, 'Use your authenticator app instead')).toBeVisible();
  await expect(page.getByText(HELP)).toBeHidden();
  await open(page, '/auth/account'); // any page leads to the same step
  await expectScreen(page, "Confirm it's you");
  await link(page, 'Use a passkey instead').click();
  await device.answer(true);
  await button(page, 'Use a passkey').click();
  await expectAccount(page, person);
  await device.answer(false);
  await leave(page);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, "Confirm it's you");
  await expect(button(page, 'Use a passkey')).toBeVisible(); // now the passkey was used last
  await expect(link(page, 'Use your authenticator app instead')).toBeVisible();
});
