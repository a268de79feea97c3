import { App } from '../support/app.js';
import { RelyingParty } from '../support/relying-party.js';
import { expect, test } from '../support/test.js';
import { startChromium } from './chromium.js';
import type { Engine, EngineName } from './engine.js';
import { startFirefox } from './firefox.js';
import { alive, click, fill } from './page.js';
import { startWebkit } from './webkit.js';

// Engines disagree about redirects after a form: some hold them against form-action, also when an app leads on to
// an origin that Portico does not know.

const START: Record<EngineName, () => Promise<Engine>> = {
  chromium: startChromium,
  firefox: startFirefox,
  webkit: startWebkit,
};

for (const name of Object.keys(START) as EngineName[]) {
  test(`${name}: consent and sign-out lead to a client that leads on`, async ({ world }) => {
    test.setTimeout(120_000);
    const elsewhere = await App.start();
    const notes = await RelyingParty.start();
    notes.onward = `${elsewhere.origin}/notes`;
    const portico = await world.anotherPortico({ settings: notes.settings });
    await notes.serve(portico.origin);
    const person = world.stranger();
    portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
    const browser = await START[name]();
    const address = () => browser.evaluate('return location.href').catch(() => 'between two pages');
    // Buttons that agree to something appear a moment after their page.
    const there = (control: string) =>
      browser
        .evaluate(
          `return document.querySelector('${control}')?.checkVisibility({ visibilityProperty: true })`,
        )
        .catch(() => false);
    const press = async (control: string) => {
      await expect.poll(() => there(control)).toBe(true);
      await click(browser, control);
    };
    try {
      await browser.goto(`${notes.origin}/signin`);
      await alive(browser, '#email');
      await fill(browser, '#email', person.email);
      await fill(browser, '#password', person.password);
      await click(browser, 'main form button[type=submit]');
      await expect.poll(() => there('button[value=allow]')).toBe(true);
      const before = await browser.evaluate<number>('return history.length');
      await press('button[value=allow]');
      await expect.poll(address).toBe(notes.onward);
      // Back leads past the page between: it is not kept.
      expect(await browser.evaluate('return history.length')).toBe(before + 1);
      await browser.goto(`${notes.origin}/signout`);
      await press('form[action="/auth/openid/logout/confirm"] button');
      await expect.poll(address).toBe(notes.onward);
    } finally {
      await browser.stop();
      await notes.stop();
      await elsewhere.stop();
    }
  });

  // The browser itself sends the form, as without script. All forms leave in the same way.
  test(`${name}: a form that the browser sends leads to an app that leads on`, async ({ world }) => {
    test.setTimeout(120_000);
    const elsewhere = await App.start();
    const portico = await world.anotherPortico({ app: world.app.origin });
    const person = world.stranger();
    portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
    const browser = await START[name]();
    const end = `${elsewhere.origin}/reports`;
    const to = encodeURIComponent(world.app.leadingTo(end));
    try {
      await browser.goto(`${portico.origin}/auth/signin?return_to=${to}`);
      await alive(browser, '#email');
      await fill(browser, '#email', person.email);
      await fill(browser, '#password', person.password);
      await browser.evaluate(`document.querySelector('#email').form.submit();`);
      await expect
        .poll(() => browser.evaluate('return location.href').catch(() => 'between two pages'))
        .toBe(end);
    } finally {
      await browser.stop();
      await elsewhere.stop();
    }
  });
}
