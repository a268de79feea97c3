import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Page } from '@playwright/test';
import { portOf } from '../support/port.js';
import { button, expectAccount, expectScreen, field, fillSignUp } from '../support/screen.js';
import { expect, test } from '../support/test.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const SAID = 'Seats for <b>Acme</b> are sold out. Ask Ada.';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with script' : 'without script', () => {
    test.use({ javaScriptEnabled });

    test('an app refuses a sign-up in its own words, and then allows it', async ({ page, world }) => {
      const { app, answer, asked } = await startApp();
      const portico = await world.anotherPortico({
        settings: `[signup]\nask = "${app}"\nask_secret = "${SECRET}"\nask_private = true\n`,
      });
      const [mara, noor] = [world.stranger(), world.stranger('noor')];
      answer({ allow: false, text: SAID });

      await page.goto(`${portico.origin}/auth/signup`);
      await fillSignUp(page, mara);
      await button(page, 'Create account').click();
      await expectScreen(page, 'Verify your code');
      const { code } = await world.mailbox.next(mara.email);
      await field(page, '6-digit code').fill(code);
      if (!javaScriptEnabled) await button(page, 'Verify').click(); // the last digit sends it
      await refuses(page);
      if (javaScriptEnabled) await expect(field(page, '6-digit code')).toHaveValue(code);
      else await field(page, '6-digit code').fill(code);
      answer({ allow: true });
      await button(page, 'Verify').click();
      await expectAccount(page, mara);
      expect(asked).toEqual([mara.email, mara.email]);
      await button(page, 'Sign out').click();

      answer({ allow: false, text: SAID });
      portico.command(['user', 'invite', noor.email]);
      await page.goto((await world.mailbox.next(noor.email)).link);
      await expectScreen(page, 'Create an account');
      await field(page, 'Password').fill(noor.password);
      await field(page, 'Confirm Password').fill(noor.password);
      await button(page, 'Create account').click();
      await refuses(page);
      await expectScreen(page, 'Create an account');
      if (javaScriptEnabled) await expect(field(page, 'Password')).toHaveValue(noor.password);
      else await field(page, 'Password').fill(noor.password);
      await field(page, 'Confirm Password').fill(noor.password);
      answer({ allow: true });
      await button(page, 'Create account').click();
      await expectAccount(page, noor);
    });
  });
}

async function refuses(page: Page): Promise<void> {
  await expect(page.getByRole('alert').getByText(SAID, { exact: true })).toBeVisible();
  await expect(page.locator('b', { hasText: 'Acme' })).toHaveCount(0);
}

/** An app that is asked about sign-ups. */
async function startApp() {
  let said = {};
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    asked.push(JSON.parse(body).data.email);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const answer = (next: object) => {
    said = next;
  };
  return { app: `http://127.0.0.1:${portOf(server)}/ask`, answer, asked };
}
