import { signInAtAcme } from '../support/acme.js';
import { App } from '../support/app.js';
import { RelyingParty } from '../support/relying-party.js';
import {
  alive,
  back,
  button,
  expectScreen,
  field,
  fillSignIn,
  fillSignUp,
  lastButton,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { Authenticator } from '../support/totp.js';

// Chromium holds every redirect after a form against the policy of its page. An app may lead on to an origin that
// Portico does not know, so each journey ends at one.
let elsewhere: App;
test.beforeAll(async () => {
  elsewhere = await App.start();
});
test.afterAll(() => elsewhere.stop());

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('a sign-in returns to an app that leads on, and Back leads to the sign-in', async ({
      page,
      world,
    }) => {
      const person = await world.member();
      const end = `${elsewhere.origin}/reports`;
      await page.goto('/auth/signin');
      await page.goto(`/auth/signin?return_to=${encodeURIComponent(world.app.leadingTo(end))}`);
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expect(page).toHaveURL(end);
      await back(page);
      await expectScreen(page, 'Sign in');
      await expect(page.getByText(person.email)).toBeVisible();
    });

    test('consent and sign-out lead to a client that leads on', async ({ page, world }) => {
      const notes = await RelyingParty.start();
      notes.onward = `${elsewhere.origin}/notes`;
      const portico = await world.anotherPortico({ settings: notes.settings });
      await notes.serve(portico.origin);
      const person = world.stranger();
      portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
      await page.goto(`${notes.origin}/signin`);
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, 'Continue to Notes?');
      await button(page, 'Continue').click();
      await expect(page).toHaveURL(notes.onward);
      expect(notes.access).not.toBe('');
      await page.goto(`${notes.origin}/signout`);
      await button(page, 'Sign out').click();
      await expect(page).toHaveURL(notes.onward);

      await page.goto(`${notes.origin}/signin`); // agreed before
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expect(page).toHaveURL(notes.onward);
      await notes.stop();
    });

    test('a sign-in by a provider returns to an app that leads on', async ({ page, world }) => {
      const person = world.stranger('noor');
      world.provider.knows(person.email, { email: person.email, email_verified: true });
      const end = `${elsewhere.origin}/reports`;
      await page.goto(`/auth/signin?return_to=${encodeURIComponent(world.app.leadingTo(end))}`);
      if (javaScriptEnabled) await alive(page);
      await button(page, 'Continue with Acme ID').click();
      await signInAtAcme(page, person.email);
      await expect(page).toHaveURL(end);
    });

    test('terms that are accepted on the way return to an app that leads on', async ({ page, world }) => {
      const portico = await world.anotherPortico({ app: world.app.origin, terms: '2026-01' });
      const person = world.stranger();
      portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
      const end = `${elsewhere.origin}/reports`;
      const to = encodeURIComponent(world.app.leadingTo(end));
      await page.goto(`${portico.origin}/auth/signin?return_to=${to}`);
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, 'Accept the terms of use');
      if (javaScriptEnabled) await alive(page);
      await page.getByRole('checkbox').check();
      await button(page, 'Accept and continue').click();
      await expect(page).toHaveURL(end);
    });

    test('a second factor that is added and then given returns to an app that leads on', async ({
      page,
      world,
    }) => {
      const settings = '[mfa]\nrequire = ["all"]\n';
      const portico = await world.anotherPortico({ app: world.app.origin, settings });
      const person = world.stranger();
      portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
      const end = `${elsewhere.origin}/reports`;
      const enter = async (screen: string) => {
        const to = encodeURIComponent(world.app.leadingTo(end));
        await page.goto(`${portico.origin}/auth/signin?return_to=${to}`);
        await fillSignIn(page, person);
        await button(page, 'Login').click();
        await expectScreen(page, screen);
        if (javaScriptEnabled) await alive(page);
      };
      const give = async (code: string, press: string) => {
        await field(page, '6-digit code').fill(code);
        if (!javaScriptEnabled) await button(page, press).click();
      };
      await enter('Set up a second step');
      await page.getByText("Can't scan it?").click();
      const app = new Authenticator((await page.locator('code').textContent()) ?? '');
      await give(app.next(), 'Turn on');
      await expectScreen(page, 'Save your recovery codes');
      if (javaScriptEnabled) await alive(page);
      await button(page, "I've saved them").click();
      await expect(page).toHaveURL(end);

      await page.context().clearCookies();
      await enter("Confirm it's you");
      await give(app.next(), 'Continue');
      await expect(page).toHaveURL(end);
    });

    test('a closed account that is kept returns to an app that leads on', async ({ page, world }) => {
      const person = await world.member();
      await page.goto('/auth/signin?return_to=/auth/account/delete');
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      if (javaScriptEnabled) await alive(page);
      await button(page, 'Delete my account').click();
      await lastButton(page, 'Delete my account').click();
      await expectScreen(page, "You've signed out");
      const end = `${elsewhere.origin}/reports`;
      await page.goto(`/auth/signin?return_to=${encodeURIComponent(world.app.leadingTo(end))}`);
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, 'Keep your account?');
      if (javaScriptEnabled) await alive(page);
      await button(page, 'Keep my account').click();
      await expect(page).toHaveURL(end);
    });

    test('a mailed link returns to an app that leads on', async ({ page, world }) => {
      const person = world.stranger();
      const end = `${elsewhere.origin}/reports`;
      await page.goto(`/auth/signup?return_to=${encodeURIComponent(world.app.leadingTo(end))}`);
      await fillSignUp(page, person);
      await button(page, 'Create account').click();
      await expectScreen(page, 'Verify your code');
      await page.goto((await world.mailbox.next(person.email)).link);
      await expectScreen(page, 'Confirm your email address');
      if (javaScriptEnabled) await alive(page);
      await button(page, 'Confirm address').click();
      await expect(page).toHaveURL(end);
    });
  });
}
