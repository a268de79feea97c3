import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appeared, openWorld, shown, visit, type World } from './browser';

// Values of pages, and what only some readers see: colors of the system, a phone, another zone, the moment before a button is pressed.

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Opens a state of the gallery, and does what the test does. */
const on =
  (state: string, options: Parameters<typeof visit>[2], look: (page: Page) => Promise<void>) => async () => {
    const { page, complaints } = await visit(world, shown(state), options);
    await look(page);
    expect(complaints).toEqual([]);
  };

const color = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => getComputedStyle(element).backgroundColor);

test(
  'in forced colors the main button is filled, and a button in a sentence keeps its space',
  on('verify-code/idle', { forcedColors: 'active' }, async (page) => {
    expect(await color(page, '.button-primary')).not.toBe(await color(page, 'main'));
    const resend = page.getByRole('button', { name: 'Resend' });
    expect(await resend.evaluate((button) => getComputedStyle(button).borderStyle)).toBe('none');
  }),
);

test(
  'in forced colors the second button is not filled',
  on('consent/idle', { forcedColors: 'active' }, async (page) => {
    await appeared(page);
    expect(await color(page, '.button-primary')).not.toBe(await color(page, '.button-secondary'));
  }),
);

test(
  'in forced colors the strength is told by filled bars, and the button in a field has no frame',
  on('signup/idle', { forcedColors: 'active', colorScheme: 'dark' }, async (page) => {
    await page.locator('#password').fill('dragonmon');
    await page.getByText('Strength: weak').waitFor();
    const bars = await page
      .locator('[data-strength] i')
      .evaluateAll((all) => all.map((bar) => getComputedStyle(bar).backgroundColor));
    expect(bars).toEqual(['rgb(255, 255, 255)', ...Array(3).fill('rgb(0, 0, 0)')]);
    const toggle = page.getByRole('button', { name: 'Show password' });
    expect(await toggle.evaluate((button) => getComputedStyle(button).borderWidth)).toBe('0px');
  }),
);

test(
  'with large text on a phone the history breaks no word',
  on('account-history/idle', { viewport: { width: 360, height: 740 } }, async (page) => {
    const names = page.locator('.entry-name');
    const room = () => names.evaluateAll((all) => all.map((name) => name.clientWidth / name.scrollHeight));
    expect(Math.min(...(await room()))).toBeGreaterThan(2);
    await page.evaluate(() => {
      const large = new CSSStyleSheet();
      large.replaceSync(':root{font-size:200%!important}');
      document.adoptedStyleSheets = [large];
    });
    expect(Math.min(...(await room()))).toBeGreaterThan(1);
  }),
);

for (const state of ['account/idle', 'account-factors/none'])
  test(
    `with large text on a phone no word is broken: ${state}`,
    on(state, { viewport: { width: 360, height: 740 } }, async (page) => {
      const broken = await page.evaluate(() => {
        const large = new CSSStyleSheet();
        large.replaceSync(':root{font-size:200%!important}');
        document.adoptedStyleSheets = [large];
        const word = document.createRange();
        return [...document.querySelectorAll('.section a, .button-primary')].flatMap((label) => {
          let text: Node = label;
          while (text.firstChild) text = text.firstChild;
          const words = Array.from(text.textContent?.matchAll(/[^\s-]+/g) ?? []);
          return words.flatMap(({ 0: letters, index }) => {
            word.setStart(text, index);
            word.setEnd(text, index + letters.length);
            return word.getClientRects().length > 1 ? letters : [];
          });
        });
      });
      expect(broken).toEqual([]);
    }),
  );

test(
  'a recovery code has one line on paper',
  on('account-factors/codes', { viewport: { width: 700, height: 900 }, alone: true }, async (page) => {
    await page.emulateMedia({ media: 'print' });
    expect(
      await page.getByText('Recovery codes for mara@example.com at Portico, made May 4, 2026').isVisible(),
    ).toBe(true);
    const heights = await page
      .locator('li code')
      .evaluateAll((all) => all.map((code) => code.getClientRects().length));
    expect(heights).toEqual(Array(10).fill(1));
  }),
);

test(
  'a button that appears later is whole at once, so its label has its contrast',
  on('confirm-link/password', {}, async (page) => {
    const looks = await page
      .locator('main button[type=submit]')
      .first()
      .evaluate((button) => {
        const [animation] = button.getAnimations();
        const at = (time: number) => {
          if (animation) animation.currentTime = time;
          const { visibility, opacity } = getComputedStyle(button);
          return `${visibility} ${opacity}`;
        };
        return [at(400), at(520)];
      });
    expect(looks).toEqual(['hidden 1', 'visible 1']);
  }),
);

test(
  'a button that appears again when its tab is seen keeps the focus',
  on('confirm-link/ready', {}, async (page) => {
    const button = page.getByRole('button', { name: 'Confirm address' });
    await appeared(page);
    await button.focus();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await appeared(page);
    await expect.poll(() => button.evaluate((it) => it === document.activeElement)).toBe(true);
  }),
);

for (const state of ['keep/idle', 'protect/grace'])
  test(
    `${state} writes the time in the zone of the browser`,
    on(state, { timezoneId: 'America/New_York' }, async (page) => {
      const lead = page.locator('main p').first();
      await expect.poll(() => lead.textContent()).toMatch(/May 17,( 2026,)? 11:02\sPM/);
      expect(await lead.textContent()).not.toContain('UTC');
    }),
  );

test(
  'on a phone the parts of an entry have a line each, without a dot, and its button stands below',
  on('account-browsers/idle', { viewport: { width: 360, height: 740 } }, async (page) => {
    const entry = page.locator('.entry').first();
    const boxes = await entry.evaluate((element) => {
      const bottom = element.querySelector('.entry-line')?.getBoundingClientRect().bottom ?? 0;
      const button = element.querySelector('button')?.getBoundingClientRect().top ?? 0;
      const parts = [...element.querySelectorAll('.entry-line > span')];
      return {
        below: button >= bottom,
        lines: parts.map((part) => part.getClientRects().length && part.getBoundingClientRect().height < 30),
        dots: parts.map((part) => getComputedStyle(part, '::after').content),
      };
    });
    expect(boxes).toEqual({ below: true, lines: [true, true], dots: ['none', 'none'] });
  }),
);

test(
  'on a phone the buttons of an address begin where its words do',
  on('account-addresses/several', { viewport: { width: 360, height: 740 } }, async (page) => {
    const entry = page.locator('.entry', { has: page.locator('button') }).first();
    const [words, button] = await Promise.all(
      ['.entry-words', 'button'].map((part) => entry.locator(part).first().boundingBox()),
    );
    expect(button?.x).toBe(words?.x);
  }),
);

test(
  'the filter of the history is as high as other buttons of a list',
  on('account-history/idle', {}, async (page) => {
    const heights = await page
      .locator('.filter a')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
    expect(heights).toEqual([36, 36]);
  }),
);

test('a frame of the gallery has the color of its page behind it, which shows beside the page', async () => {
  const { page } = await visit(world, '/dev/screens?screen=keep', { hydrate: false });
  const colors = () =>
    page.locator('iframe').evaluateAll((frames) =>
      frames.map((frame) => {
        const inside = (frame as HTMLIFrameElement).contentDocument?.documentElement;
        return inside && getComputedStyle(frame).backgroundColor === getComputedStyle(inside).backgroundColor;
      }),
    );
  await expect.poll(async () => (await colors()).slice(0, 4)).toEqual([true, true, true, true]);
});

test('consent shows whose account it is, and an entry that was never used has no time of use', async () => {
  const consent = await visit(world, shown('consent/idle'));
  const box = consent.page.locator('main div').filter({ hasText: 'Use another account' }).last();
  expect(await box.locator('xpath=..').textContent()).toMatch(/^MMara/);
  const { page } = await visit(world, shown('account-passkeys/full'));
  const lines = await page.locator('.entry-line').allInnerTexts();
  expect(lines.map((line) => line.includes('Last used'))).toEqual([true, false, false]);
});

test.each([
  ['account-passkeys', "You can't add more passkeys."],
  ['account-factors', "You can't add more authenticator apps."],
])('%s says at its limit why nothing can be added', async (screen, words) => {
  const { page } = await visit(world, shown(`${screen}/full`));
  expect(await page.getByText(words).isVisible()).toBe(true);
  expect(await page.getByRole('button', { name: 'Add' }).count()).toBe(0);
});
