import { once } from 'node:events';
import { createServer } from 'node:http';
import { portOf } from '../support/port.js';
import { button, expectScreen, field, fillSignIn, lastButton } from '../support/screen.js';
import { expect, test } from '../support/test.js';

for (const script of [true, false])
  test(`a user makes a token ${script ? 'with' : 'without'} script, calls an app with it, and ends it`, async ({
    browser,
    world,
  }) => {
    const app = createServer((request, response) =>
      response.end(`${request.headers['x-portico-email']} ${request.headers.authorization}`),
    ).listen(0, '127.0.0.1');
    await once(app, 'listening');
    const portico = await world.anotherPortico({
      settings: `[[app]]\nname = "wiki"\npath = "/wiki"\nupstream = "http://127.0.0.1:${portOf(app)}"\ntokens = true\n`,
    });
    const person = world.stranger();
    portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
    const context = await browser.newContext({ baseURL: portico.origin, javaScriptEnabled: script });
    const page = await context.newPage();
    await page.goto('/auth/signin?return_to=/auth/account');
    await fillSignIn(page, person);
    await button(page, 'Login').click();
    await page.getByRole('link', { name: 'Access tokens' }).first().click();
    await expectScreen(page, 'Access tokens');

    await field(page, 'Name').fill('Nightly export');
    await page.getByLabel('App').selectOption('wiki');
    await button(page, 'Make token').click();
    await expect(page.getByText('Copy your token now.')).toBeVisible();
    const token = (await page.locator('code').first().textContent()) ?? '';
    if (script) {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await button(page, 'Copy').click();
      await expect(page.getByText('Copied.')).toBeVisible();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
    }
    const call = () =>
      fetch(`${portico.origin}/wiki/pages`, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await call()).text()).toBe(`${person.email} undefined`);

    await page.reload();
    await expect(page.getByText('Nightly export', { exact: true })).toHaveCount(1);
    await expect(page.getByText(token)).toHaveCount(0);
    await button(page, 'End Nightly export').click();
    await lastButton(page, 'End').click();
    await expect(page.getByText('The token has ended.')).toBeVisible();
    const refused = await call();
    expect([refused.status, (await refused.json()).code]).toEqual([401, 'token.ended']);
    await context.close();
    app.close();
  });
