import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appeared, openWorld, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Lowest contrast of white against the pixels that the label's glyphs cover. */
async function contrastUnderGlyphs(page: Page): Promise<number> {
  const button = page.locator('main form button[type=submit]').first();
  const glyphs = (colour: string) =>
    page.evaluate((value) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`button[type=submit] span{color:${value}!important} *{transition:none!important}`);
      document.adoptedStyleSheets = [...document.adoptedStyleSheets.slice(0, 1), sheet];
    }, colour);
  const place = async () => JSON.stringify(await button.boundingBox());
  let bare: Buffer;
  let marked: Buffer;
  let before: string;
  do {
    before = await place();
    await glyphs('transparent');
    bare = await button.screenshot();
    await glyphs('#000');
    marked = await button.screenshot();
  } while ((await place()) !== before); // the wait of a message counts down, and its lines may become fewer
  return page.evaluate(
    async ([a, b]) => {
      const pixels = async (base64: string) => {
        const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [ground, glyph] = [await pixels(a as string), await pixels(b as string)];
      const linear = (c: number) =>
        c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
      let lowest = 21;
      for (let i = 0; i < ground.length; i += 4) {
        const rgb = [0, 1, 2].map((k) => ground[i + k] ?? 0);
        const covered = [0, 1, 2].some((k) => Math.abs((ground[i + k] ?? 0) - (glyph[i + k] ?? 0)) > 8);
        if (!covered) continue;
        const [r = 0, g = 0, bl = 0] = rgb.map(linear);
        lowest = Math.min(lowest, 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * bl + 0.05));
      }
      return lowest;
    },
    [bare.toString('base64'), marked.toString('base64')],
  );
}

const screens = [
  ['signin', 'idle'],
  ['signin', 'limited'],
  ['signup', 'idle'],
  ['forgot-password', 'idle'],
  ['verify-code', 'idle'],
  ['reset-password', 'idle'],
  ['confirm-link', 'ready'],
  ['confirm-link', 'expired'],
] as const;

const cases = screens.flatMap(([screen, state]) =>
  ['en', 'de'].map((locale) => [screen, state, locale] as const),
);

/** All buttons share one style. The short form judges a short label, a long label, and a button that appears late. */
const SHORT = [
  ['signin', 'idle', 'en'],
  ['signup', 'idle', 'de'],
  ['confirm-link', 'ready', 'de'],
] as const;
const FULL = process.env['PORTICO_TESTS'] === 'full'; // the cases that the short form leaves out
const JUDGED = FULL ? cases.filter((one) => !SHORT.some((short) => `${short}` === `${one}`)) : SHORT;

test.each(JUDGED)('the label of %s, %s (%s) has 3:1 under its glyphs', async (screen, state, locale) => {
  const { page } = await visit(world, `/dev/screens/${screen}/${state}/light?locale=${locale}`);
  await appeared(page);
  for (const [width, text] of [
    [1280, 100],
    [320, 100],
    [320, 200],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate((size) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`:root{font-size:${size}%!important}`);
      document.adoptedStyleSheets = [sheet];
    }, text);
    const font = await page
      .locator('main form button[type=submit]')
      .first()
      .evaluate((element) => {
        const { fontSize, fontWeight, backgroundImage } = getComputedStyle(element);
        return { size: Number.parseFloat(fontSize), weight: Number(fontWeight), backgroundImage };
      });
    expect(font.size).toBeGreaterThanOrEqual(18.66);
    expect(font.weight).toBeGreaterThanOrEqual(700);
    expect(font.backgroundImage).toBe('linear-gradient(135deg, rgb(3, 180, 246), rgb(26, 74, 184))');
    expect(await contrastUnderGlyphs(page), `${width} px, text ${text} %`).toBeGreaterThanOrEqual(3);
  }
});
