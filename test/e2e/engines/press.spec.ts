import { expect, test } from '../support/test.js';
import { startChromium } from './chromium.js';
import type { Engine, EngineName } from './engine.js';
import { startFirefox } from './firefox.js';
import { alive, click, clicked, expectAt, fill, open, pressSlowly, shown } from './page.js';
import { startWebkit } from './webkit.js';

// A press takes time between down and up. Whatever appears meanwhile or afterwards, the control must stay under
// the pointer. The test uses real mouse events in three engines, because each has its own order of press, blur and click.

const START: Record<EngineName, () => Promise<Engine>> = {
  chromium: startChromium,
  firefox: startFirefox,
  webkit: startWebkit,
};

const SIZES = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
];

const SUBMIT = 'main form button[type=submit]:not([formaction])';

for (const name of Object.keys(START) as EngineName[]) {
  test.describe(name, () => {
    test.describe.configure({ mode: 'default', timeout: 120_000 });
    let browser: Engine;
    test.beforeAll(async () => {
      browser = await START[name]();
    });
    test.afterAll(() => browser?.stop());

    test('a wrong code is clicked, and the right one typed over it', async ({ world }) => {
      const person = world.stranger();
      const linesBefore = world.portico.log.length;
      await browser.resize({ width: 1280, height: 800 });
      await open(browser, `${world.portico.origin}/auth/signup`);
      await fill(browser, '#email', person.email);
      await fill(browser, '#password', person.password);
      await fill(browser, '#confirm_password', person.password);
      await click(browser, SUBMIT);
      const { code } = await world.mailbox.next(person.email);
      await alive(browser, '#code');
      await browser.type(code === '000000' ? '000001' : '000000');
      await shown(browser, '#code-error');
      const said = await browser.evaluate<string>(`return document.querySelector('#code-error').textContent`);
      expect(said).toContain('4');

      // One digit in the middle of the old code: nothing is sent.
      for (const key of ['ArrowLeft', 'Backspace'] as const) await browser.press(key);
      await browser.type('00000'.includes(code.charAt(0)) ? '7' : code.charAt(0));
      await browser.press('ArrowLeft');
      await browser.press('Backspace');
      await browser.type('5');
      await click(browser, '#code'); // in the middle of it
      await browser.type(code);
      const path = () => browser.evaluate(`return location.pathname`).catch(() => 'between two pages');
      await expect.poll(path).toBe('/auth/account');
      const tries = world.portico.log
        .slice(linesBefore)
        .filter((line) => String(line['route']).endsWith('/auth/api/verify-code'));
      expect(tries.map((line) => line['status'])).toEqual([422, 200]);
    });

    for (const size of SIZES) {
      test.describe(`${size.width} pixels`, () => {
        test.beforeEach(() => browser.resize(size));

        test('passwords that differ', async ({ world }) => {
          const { email, password } = world.stranger();
          await open(browser, `${world.portico.origin}/auth/signup`);
          await fill(browser, '#email', email);
          await fill(browser, '#password', password);
          await fill(browser, '#confirm_password', `${password}!`);
          await pressSlowly(browser, SUBMIT);
          await shown(browser, '#confirm_password-error');
          expect(await clicked(browser)).toEqual(['Create account']);
        });

        test('a mistyped domain', async ({ world }) => {
          await open(browser, `${world.portico.origin}/auth/signup`);
          await fill(browser, '#password', 'short');
          await fill(browser, '#confirm_password', 'short');
          await fill(browser, '#email', 'mara@gmial.com');
          await pressSlowly(browser, SUBMIT);
          await shown(browser, 'p[role=status] button');
          await shown(browser, '#password-error');
          expect(await clicked(browser)).toEqual(['Create account']);
        });

        test('caps lock', async ({ world }) => {
          await open(browser, `${world.portico.origin}/auth/signin`);
          await fill(browser, '#email', world.stranger().email);
          await fill(browser, '#password', 'not the right one');
          // No driver can turn on Caps Lock, so the page dispatches this one event itself.
          await browser.evaluate(
            `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift', modifierCapsLock: true, bubbles: true }));`,
          );
          await shown(browser, '#password-caps');
          await pressSlowly(browser, SUBMIT);
          await shown(browser, '[role=alert]');
          expect(await clicked(browser)).toEqual(['Login']);
        });

        test('errors come and go, and the same place is pressed again', async ({ world }) => {
          await open(browser, `${world.portico.origin}/auth/signin`);
          await fill(browser, '#email', world.stranger().email);
          const before = await pressSlowly(browser, SUBMIT);
          await shown(browser, '#password-error');
          await expectAt(browser, SUBMIT, before, 'after the error of a field');
          await browser.type('not the right one'); // the field at fault has the focus
          await expect
            .poll(() => browser.evaluate(`return document.querySelector('#password-error').textContent`))
            .toBe('');
          await expectAt(browser, SUBMIT, before, 'after the error has gone');
          await browser.down();
          await browser.up();
          await shown(browser, '[role=alert]');
          await expectAt(browser, SUBMIT, before, 'after the error of the form');
          expect(await clicked(browser)).toEqual(['Login', 'Login']);
        });
      });
    }
  });
}
