import { continueWithAcme } from '../support/acme.js';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  fillSignUp,
  link,
  open,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

const BOX = 'I accept the terms of use.';
const MISSING = 'Check the box to accept the terms of use.';

test('a sign-up by keyboard needs the ticked box, and keeps all that was typed', async ({ page, world }) => {
  const { origin } = await world.terms();
  const person = world.stranger();
  await open(page, `${origin}/auth/signup`);
  await fillSignUp(page, person);
  await expect(field(page, BOX)).not.toBeChecked();
  await page.keyboard.press('Enter');
  await expect(page.getByText(MISSING)).toBeVisible();
  await expect(field(page, BOX)).toBeFocused();
  await expect(field(page, 'Email')).toHaveValue(person.email);
  await expect(field(page, 'Confirm Password')).toHaveValue(person.password);
  const terms = page.locator('label').getByRole('link', { name: 'terms of use' });
  await expect(terms).toHaveAttribute('target', '_blank');
  await expect(terms).toHaveAttribute('href', 'https://example.org/terms');
  await expect(link(page, 'Terms of use')).toHaveAttribute('href', 'https://example.org/terms');
  await page.keyboard.press('Space');
  await expect(field(page, BOX)).toBeChecked();
  await expect(page.getByText(MISSING)).toBeHidden();
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await page.keyboard.type((await world.mailbox.next(person.email)).code);
  await expectAccount(page, person);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('a refused form keeps the tick', async ({ page, world }) => {
      const { origin } = await world.terms();
      const person = world.stranger();
      await page.goto(`${origin}/auth/signup`);
      if (javaScriptEnabled) await alive(page);
      await fillSignUp(page, { ...person, password: 'password1' });
      await field(page, BOX).check();
      await button(page, 'Create account').click();
      await expect(page.getByText('appeared in a data breach')).toBeVisible();
      await expect(field(page, BOX)).toBeChecked();
      await expect(field(page, 'Email')).toHaveValue(person.email);
    });

    test('an account of the operator accepts the terms at its first sign-in, or signs out', async ({
      page,
      world,
    }) => {
      const { origin } = await world.terms();
      const person = await world.newcomer();
      const enter = async () => {
        await page.goto(`${origin}/auth/signin?return_to=/auth/account/history`);
        if (javaScriptEnabled) await alive(page);
        await fillSignIn(page, person);
        await button(page, 'Login').click();
        await expectScreen(page, 'Accept the terms of use');
        if (javaScriptEnabled) await alive(page);
      };
      await enter();
      await expect(page.getByText(`Accept them to continue as ${person.email}.`)).toBeVisible();
      await page.goto(`${origin}/auth/account`); // any page leads to the same step
      await expectScreen(page, 'Accept the terms of use');
      if (javaScriptEnabled) await alive(page);
      await button(page, 'Sign out').click();
      await expectScreen(page, "You've signed out");

      await enter();
      await expect(field(page, BOX)).not.toBeChecked();
      await field(page, BOX).check();
      await button(page, 'Accept and continue').click();
      await expectScreen(page, 'Security history');
      await expect(page.getByText('Version 2026-01 of the terms of use was accepted')).toBeVisible();
    });

    test('a sign-up by a provider asks before the account is made', async ({ page, world }) => {
      const { origin } = await world.terms();
      const person = world.stranger('noor');
      world.provider.knows(person.email, { email: person.email, email_verified: true, name: 'Noor' });
      const enter = async () => {
        await page.goto(`${origin}/auth/signup`);
        await continueWithAcme(page, person.email);
        await expectScreen(page, 'Accept the terms of use');
        await expect(page.getByText(`to create the account for ${person.email}.`)).toBeVisible();
        if (javaScriptEnabled) await alive(page);
      };
      await enter();
      await button(page, 'Cancel').click();
      await expectScreen(page, 'Sign in');
      expect((await world.terms()).command(['user', 'list'])).not.toContain(person.email);

      await page.context().clearCookies();
      await enter();
      await field(page, BOX).check();
      await button(page, 'Accept and continue').click();
      await expectAccount(page, person);
      const shown = (await world.terms()).command(['user', 'show', person.email]);
      expect(shown).toMatch(/^terms\t2026-01 20\d\d-/m);
    });
  });
}
