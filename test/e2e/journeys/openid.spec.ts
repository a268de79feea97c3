import { RelyingParty } from '../support/relying-party.js';
import { button, expectScreen, field, fillSignIn, link } from '../support/screen.js';
import { expect, test } from '../support/test.js';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('a user signs in to an app by OpenID Connect, and signs out of both', async ({ page, world }) => {
      const notes = await RelyingParty.start();
      const portico = await world.anotherPortico({ settings: notes.settings });
      await notes.serve(portico.origin);
      const person = world.stranger();
      portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);

      await page.goto(`${notes.origin}/signin`);
      await expectScreen(page, 'Sign in');
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, 'Continue to Notes?');
      await expect(page.getByText('Your email address')).toBeVisible();
      await button(page, 'Continue').click();
      await expect(page.getByRole('heading')).toHaveText(`Notes of ${person.email}`);

      const first = notes.access;
      await page.goto(`${notes.origin}/refresh`);
      await expect(page.getByRole('heading')).toHaveText(`Notes of ${person.email}`);
      expect(notes.access).not.toBe(first);

      await page.goto(`${notes.origin}/signin`); // signed in, and agreed before
      await expect(page.getByRole('heading')).toHaveText(`Notes of ${person.email}`);
      await page.goto(`${portico.origin}/auth/account/apps`);
      await expect(page.getByText('Notes', { exact: true })).toBeVisible();
      await expect(link(page, 'Back to Notes')).toHaveAttribute('href', `${notes.origin}/`);

      await page.goto(`${notes.origin}/signout`);
      await expectScreen(page, 'Sign out?');
      await link(page, 'Stay signed in').click();
      await expectScreen(page, 'Your account');
      await page.goto(`${notes.origin}/signout`);
      await button(page, 'Sign out').click();
      await expect(page.getByText('?state=left')).toBeVisible();
      await expect.poll(() => notes.told.length).toBe(1);
      await page.goto(`${portico.origin}/auth/account`);
      await expect(field(page, 'Password')).toBeVisible();
      await notes.stop();
    });
  });
}
