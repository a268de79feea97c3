import { Authenticator as Key } from '../support/passkey.js';
import { alive, button, expectAccount, expectScreen, field, fillSignIn, link } from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { Authenticator } from '../support/totp.js';

const TITLE = 'Set up a second step';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('a user puts the second step off in the grace, and then adds an app', async ({ page, world }) => {
      const portico = await world.requiring('14d');
      const person = world.stranger();
      portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
      const enter = async () => {
        await page.goto(`${portico.origin}/auth/signin?return_to=/auth/account/history`);
        if (javaScriptEnabled) await alive(page);
        await fillSignIn(page, person);
        await button(page, 'Login').click();
        await expectScreen(page, TITLE);
        if (javaScriptEnabled) await alive(page);
      };
      await enter();
      await expect(page.getByText(/Set it up now, or by .* at the latest\./)).toBeVisible();
      await page.goto(`${portico.origin}/auth/account`); // any page leads to the same step
      await expectScreen(page, TITLE);
      if (javaScriptEnabled) await alive(page);
      await button(page, 'Later').click();
      await expectScreen(page, 'Security history');

      await page.context().clearCookies();
      await enter();
      await button(page, 'Use another account').click();
      await expectScreen(page, 'Sign in');
      await enter();
      await page.getByText("Can't scan it?").click();
      const app = new Authenticator((await page.locator('code').textContent()) ?? '');
      await field(page, '6-digit code').fill(app.wrong());
      if (!javaScriptEnabled) await button(page, 'Turn on').click();
      await expect(page.getByText('Wrong code.')).toBeVisible();
      await field(page, '6-digit code').fill(app.next());
      if (!javaScriptEnabled) await button(page, 'Turn on').click();
      await expectScreen(page, 'Save your recovery codes');
      if (javaScriptEnabled) await alive(page);
      await expect(page.getByRole('list', { name: 'Your recovery codes' }).locator('code')).toHaveCount(10);
      await button(page, "I've saved them").click();
      await expectScreen(page, 'Security history');

      await page.goto(`${portico.origin}/auth/account/factors`);
      await page.locator('summary', { hasText: 'Remove' }).click();
      await expect(page.getByText('Your account needs a second step. If you remove this app')).toBeVisible();
      if (javaScriptEnabled) await alive(page);
      await button(page, 'Remove this app').click();
      await expectScreen(page, 'Two-step verification');
      await expect(page.getByText('Codes left')).toBeHidden();
      await page.context().clearCookies();
      await enter();
      await expect(button(page, 'Later')).toBeHidden();
    });
  });
}

test('without a grace a passkey is made first, and asked for after the password', async ({
  browser,
  world,
}) => {
  const portico = await world.requiring('0s');
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  const enter = async (title: string) => {
    const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
    await page.goto(`${portico.origin}/auth/signin`);
    await alive(page);
    await fillSignIn(page, person);
    await button(page, 'Login').click();
    await expectScreen(page, title);
    await alive(page);
    return page;
  };
  const page = await enter(TITLE);
  await expect(button(page, 'Later')).toBeHidden();
  await button(page, 'Create a passkey instead').click();
  await expect(page.getByText("This browser or device can't make a passkey.")).toBeVisible();
  await Key.plugInto(page);
  await button(page, 'Create a passkey instead').click();
  await expectAccount(page, person);
  await page.context().close();

  const elsewhere = await enter("Confirm it's you");
  await expect(button(elsewhere, 'Use a passkey')).toBeVisible();
  await expect(link(elsewhere, 'Use your authenticator app instead')).toBeHidden();
  await elsewhere.context().close();
});
