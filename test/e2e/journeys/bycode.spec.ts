import { alive, button, expectAccount, expectScreen, field, link } from '../support/screen.js';
import { expect, test } from '../support/test.js';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('an emailed code signs in', async ({ page, world }) => {
      const portico = await world.anotherPortico({ settings: '[signin]\ncode = true\n' });
      const person = world.stranger();
      portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
      await page.goto(`${portico.origin}/auth/signin?return_to=/auth/account`);
      if (javaScriptEnabled) await alive(page);
      await link(page, 'Email me a code').click();
      await expectScreen(page, 'Sign in by email');
      if (javaScriptEnabled) await alive(page);
      await field(page, 'Email').fill(person.email);
      await button(page, 'Send code').click();
      await expectScreen(page, 'Verify your code');
      if (javaScriptEnabled) await alive(page);
      const { code } = await world.mailbox.next(person.email);
      await field(page, '6-digit code').fill(code);
      if (!javaScriptEnabled) await button(page, 'Verify').click();
      await expectAccount(page, person);

      await page.goto(`${portico.origin}/auth/signin-code`);
      await field(page, 'Email').fill('nobody@people.test');
      await button(page, 'Send code').click();
      await expectScreen(page, 'Verify your code');
      await expect(page.locator('a', { hasText: 'Use a different email address' }).first()).toHaveAttribute(
        'href',
        /^\/auth\/signin-code\?flow=/,
      );
    });
  });
}
