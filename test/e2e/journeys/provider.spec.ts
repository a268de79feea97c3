import { continueWithAcme, signInAtAcme } from '../support/acme.js';
import {
  alive,
  back,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  forgot,
  lastButton,
  link,
  open,
  signIn,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('a signed-in user connects the provider, comes in by it, and disconnects it', async ({
      page,
      openBrowser,
      world,
    }) => {
      const person = await world.member();
      world.provider.knows(person.email, { email: person.email, email_verified: true });
      await page.goto('/auth/account/providers');
      await field(page, 'Email').fill(person.email);
      await field(page, 'Password').fill(person.password);
      await button(page, 'Login').click();
      await expectScreen(page, 'Connected accounts');
      await button(page, 'Connect Acme ID').click();
      await signInAtAcme(page, person.email);
      await expect(page.getByText('You can sign in with this provider now.')).toBeVisible();
      await world.mailbox.next(person.email, /^Acme ID was connected to your Portico account$/);

      const elsewhere = await openBrowser({ javaScriptEnabled });
      await elsewhere.goto('/auth/signin');
      await continueWithAcme(elsewhere, person.email);
      await expectAccount(elsewhere, person);

      await button(page, 'Disconnect Acme ID').click();
      await lastButton(page, 'Disconnect').click();
      await expect(page.getByText("Disconnected. You're signed out everywhere else.")).toBeVisible();
      await elsewhere.reload();
      await expectScreen(elsewhere, 'Sign in');
    });

    test('a new person comes in through the provider, and comes back', async ({
      page,
      openBrowser,
      world,
    }) => {
      const person = world.stranger('noor');
      world.provider.knows(person.email, { email: person.email, email_verified: true, name: 'Noor' });
      await page.goto('/auth/signup');
      await continueWithAcme(page, person.email);
      await expectAccount(page, person);

      await button(page, 'Sign out').click();
      await link(page, 'Sign in again').click();
      await expect(page.getByText('Last used')).toBeVisible();
      await button(page, 'Continue with Acme ID').click(); // Acme still knows this browser
      await expectAccount(page, person);

      const elsewhere = await openBrowser({ javaScriptEnabled });
      await elsewhere.goto('/auth/signin');
      await continueWithAcme(elsewhere, person.email);
      await expectAccount(elsewhere, person);
    });

    test('after Cancel at the provider the user can try again or sign up', async ({ page, world }) => {
      const person = world.stranger('noor');
      world.provider.knows(person.email, { email: person.email, email_verified: true });
      await page.goto('/auth/signup');
      await field(page, 'Email').fill('typed@example.test');
      await button(page, 'Continue with Acme ID').click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await expectScreen(page, 'Sign in');
      await expect(page.getByRole('status').filter({ hasText: "You didn't finish" })).toBeVisible();
      if (javaScriptEnabled) await expect(field(page, 'Email')).toHaveValue('typed@example.test');
      await page.reload();
      await expect(page.getByText("You didn't finish signing in with Acme ID.")).toBeVisible();
      await expect(link(page, 'Sign up')).toBeVisible();
      await continueWithAcme(page, person.email);
      await expectAccount(page, person);
    });

    test('an address that has an account is connected by signing in to it once', async ({
      page,
      openBrowser,
      world,
    }) => {
      const person = await world.member();
      world.provider.knows(person.email, { email: person.email, email_verified: true });
      await page.goto('/auth/signin');
      await continueWithAcme(page, person.email);
      await expectScreen(page, 'Sign in');
      await expect(page.getByText('Sign in once to connect Acme ID.')).toBeVisible();
      await expect(field(page, 'Email')).toHaveValue(person.email);
      await field(page, 'Password').fill('not the right password');
      await button(page, 'Login').click();
      await expect(page.getByRole('alert')).toContainText('Wrong email or password.');
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectAccount(page, person);
      await world.mailbox.next(person.email, /^Acme ID was connected to your Portico account$/);

      const elsewhere = await openBrowser({ javaScriptEnabled });
      await elsewhere.goto('/auth/signin');
      await continueWithAcme(elsewhere, person.email);
      await expectAccount(elsewhere, person);
    });
  });
}

test('an unverified address of the provider is proven by email', async ({ page, world }) => {
  const person = world.stranger('noor');
  world.provider.knows(person.email, { email: person.email, email_verified: false });
  await open(page, '/auth/signin');
  await continueWithAcme(page, person.email);
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await field(page, '6-digit code').fill((await world.mailbox.next(person.email)).code);
  await expectAccount(page, person);
});

test('without an address there is another way', async ({ page, world }) => {
  const { email: login } = world.stranger('noor');
  world.provider.knows(login, {});
  await open(page, '/auth/signin');
  await continueWithAcme(page, login);
  await expect(page.getByText("Acme ID didn't share your email address.")).toBeVisible();
  await link(page, 'Sign up').click();
  await expectScreen(page, 'Create an account');
});

test('an address that belongs to another person of the provider is not connected', async ({
  page,
  openBrowser,
  world,
}) => {
  const { email } = world.stranger('noor');
  for (const login of [email, `second ${email}`])
    world.provider.knows(login, { email, email_verified: true });
  await open(page, '/auth/signin');
  await continueWithAcme(page, email);
  await expectScreen(page, 'Your account');
  const other = await openBrowser();
  await open(other, '/auth/signin');
  await continueWithAcme(other, `second ${email}`);
  await expect(other.getByText("it's connected to a different Acme ID account")).toBeVisible();
  await expectScreen(other, 'Sign in');
});

test('a user without a password learns by email to use the provider', async ({ page, world }) => {
  const { email } = world.stranger('noor');
  world.provider.knows(email, { email, email_verified: true });
  await open(page, '/auth/signin');
  await continueWithAcme(page, email);
  await expectScreen(page, 'Your account');
  await alive(page);
  await button(page, 'Sign out').click();
  await expectScreen(page, "You've signed out");
  await forgot(page, email);
  const mail = await world.mailbox.next(email, /How to sign in/);
  expect(mail.text).toContain('you sign in with Acme ID');
  expect(mail.code).toBe('');
});

test('a provider that breaks on the way is named, and trying again works', async ({ page, world }) => {
  const person = world.stranger('noor');
  world.provider.knows(person.email, { email: person.email, email_verified: true });
  await open(page, '/auth/signin');
  await button(page, 'Continue with Acme ID').click();
  world.provider.breaksAt = '/token';
  await signInAtAcme(page, person.email);
  await expect(page.getByText("Acme ID isn't responding.")).toBeVisible();
  world.provider.breaksAt = '';
  await button(page, 'Continue with Acme ID').click();
  await expectAccount(page, person);
});

test('a provider that is down is named, and the password still works', async ({ page, world }) => {
  const portico = await world.anotherPortico({ issuer: 'http://127.0.0.1:9' }); // the discard port, without a listener
  await open(page, `${portico.origin}/auth/signin`);
  await button(page, 'Continue with Acme ID').click();
  await expect(
    page.getByText("Acme ID isn't responding. Try again in a moment, or sign in another way."),
  ).toBeVisible();
  await expectScreen(page, 'Sign in');
});

test('the way back to the app goes through the provider, and a double click starts one attempt', async ({
  page,
  world,
}) => {
  const target = `${world.app.origin}/inbox`;
  const { email } = world.stranger('noor');
  world.provider.knows(email, { email, email_verified: true });
  await open(page, `/auth/signin?return_to=${encodeURIComponent(target)}`);
  let starts = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/start')) starts += 1;
  });
  await button(page, 'Continue with Acme ID').dblclick();
  await signInAtAcme(page, email);
  await expect(page).toHaveURL(target);
  expect(starts).toBe(1);
});

test('Back from the provider finds the form ready', async ({ page, world }) => {
  const person = await world.member();
  await open(page, '/auth/signin');
  await button(page, 'Continue with Acme ID').click();
  await expect(page.getByRole('heading', { name: 'Sign in to Acme' })).toBeVisible();
  await back(page);
  await expectScreen(page, 'Sign in');
  await expect(button(page, 'Continue with Acme ID')).toHaveAttribute('aria-busy', 'false');
  await signIn(page, person);
});
