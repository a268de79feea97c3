import { Authenticator, leave, withoutOffer, withPasskey } from '../support/passkey.js';
import { button, expectAccount, expectScreen, field, fillSignIn, open, signIn } from '../support/screen.js';
import { expect, test } from '../support/test.js';

// A passkey that does not come, and the way on. `passkey.spec.ts` has more: cancelling, an unknown passkey, a copy, and
// a browser without passkeys.

const PASSKEY = 'Sign in with a passkey';
const CANCELLED = 'You canceled, or it took too long. Try your passkey again, or use your password.';

test('a device that is not answered in time: the words say so, and the password works', async ({
  page,
  world,
}) => {
  const person = await world.member();
  const device = await withPasskey(page, person);
  await device.answer(false);
  await withoutOffer(page);
  await page.route('**/auth/api/passkey/ask', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), timeout: 1 } }); // the browser makes it longer
  });
  await leave(page);
  await button(page, PASSKEY).click();
  await expect(page.getByText(CANCELLED)).toBeVisible({ timeout: 60_000 });
  await expect(button(page, PASSKEY)).toHaveAttribute('aria-busy', 'false');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
});

test('an answer that comes after its challenge has ended asks for another press', async ({ page, world }) => {
  const person = await world.member();
  await withPasskey(page, person);
  await withoutOffer(page);
  let spent: object | undefined;
  await page.route('**/auth/api/passkey/ask', async (route) => {
    const response = await route.fetch();
    spent ??= await response.json();
    await route.fulfill({ response, json: spent });
  });
  await leave(page);
  await button(page, PASSKEY).click();
  await expectAccount(page, person); // uses the challenge up
  await page.context().clearCookies({ name: /session/ });
  await open(page, '/auth/signin');
  await button(page, PASSKEY).click();
  await expect(page.getByText('That took too long. Try again.')).toBeVisible();
  await page.unroute('**/auth/api/passkey/ask');
  await button(page, PASSKEY).click();
  await expectAccount(page, person);
});

test('a device without the passkey leaves the form as it is', async ({ page, world }) => {
  const person = await world.member();
  const right = await withPasskey(page, person);
  await right.unplug();
  await Authenticator.plugInto(page);
  await withoutOffer(page);
  await leave(page);
  await field(page, 'Email').fill(person.email);
  await button(page, PASSKEY).click();
  await expect(page.getByText(CANCELLED)).toBeVisible();
  await expect(field(page, 'Email')).toHaveValue(person.email);
  await field(page, 'Password').fill(person.password);
  await button(page, 'Login').click();
  await expectAccount(page, person);
});

test('the passkey of another account is named where one account is asked for its own', async ({
  page,
  world,
}) => {
  const [person, other] = [await world.member(), await world.member()];
  const wrong = await withPasskey(page, other);
  const held = await wrong.held();
  await wrong.unplug();
  await page.context().clearCookies();
  const right = await withPasskey(page, person);
  await right.answer(false);
  await leave(page);
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
  const mine = await right.held();
  await right.unplug();
  const both = await Authenticator.plugInto(page);
  await both.keep(held);
  await open(page, '/auth/mfa?return_to=/auth/account/password');
  await expectScreen(page, "Confirm it's you");
  await button(page, 'Use a passkey').click();
  await expect(page.getByText('This passkey belongs to another account.')).toBeVisible();
  await both.unplug();
  await (await Authenticator.plugInto(page)).keep(mine);
  await button(page, 'Use a passkey').click();
  await expectScreen(page, 'Change your password');
});

test('a browser without passkeys says so where one is asked for, and no button of a sign-up shows', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  await withPasskey(page, person);
  const old = await openBrowser();
  await old.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'));
  await signIn(old, person);
  await open(old, '/auth/mfa?return_to=/auth/account/password');
  await button(old, 'Use a passkey').click();
  await expect(
    old.getByText("This browser couldn't use a passkey. Try another browser or device."),
  ).toBeVisible();
  await old.context().clearCookies();
  await open(old, '/auth/signup');
  await expect(button(old, 'Sign up with a passkey')).toBeHidden();
});

test('an offer that the browser ends by itself leaves a plain field', async ({ page, world }) => {
  const person = await world.member();
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(true);
    navigator.credentials.get = () =>
      new Promise((_, reject) => {
        addEventListener('end-offer', () => reject(new DOMException('', 'NotAllowedError')));
      });
  });
  await open(page, '/auth/signin');
  await expect(field(page, 'Email')).toHaveAttribute('autocomplete', 'username webauthn');
  await page.evaluate(() => dispatchEvent(new Event('end-offer')));
  await expect(field(page, 'Email')).toHaveAttribute('autocomplete', 'username');
  await expect(page.getByText(CANCELLED)).toBeHidden();
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectAccount(page, person);
});
