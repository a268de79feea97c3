import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf, start } from '../tools/gallery.mjs';
import { dimTexts } from './axe';
import { openWorld, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

type Colour = [number, number, number];

/** The pixels of an element at these parts of its width and height. */
async function pixels(page: Page, element: Locator, points: [number, number][]): Promise<Colour[]> {
  const shot = (await element.screenshot()).toString('base64');
  return page.evaluate(
    async ([base64, places]) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context?.drawImage(image, 0, 0);
      return places.map(([x, y]) => {
        const at = [Math.round(x * image.width), Math.round(y * image.height)] as const;
        return [...(context?.getImageData(...at, 1, 1).data ?? [])].slice(0, 3) as Colour;
      });
    },
    [shot, points] as const,
  );
}

const FROM: Colour = [0x03, 0xb4, 0xf6];
const TO: Colour = [0x1a, 0x4a, 0xb8];

test('without a brand the pixels are those of the specification', async () => {
  const { page } = await visit(world, '/dev/screens/signin/idle/light', {
    viewport: { width: 1280, height: 900 },
  });
  const button = page.getByRole('button', { name: 'Login' });
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  const box = await button.boundingBox();
  const points: [number, number][] = [
    [0.03, 0.5],
    [0.2, 0.2],
    [0.3, 0.8],
    [0.75, 0.2],
    [0.97, 0.5],
  ];
  const seen = await pixels(page, button, points);
  const { width = 0, height = 0 } = box ?? {};
  for (const [i, [x, y]] of points.entries()) {
    const part = 0.5 + ((x - 0.5) * width + (y - 0.5) * height) / (width + height); // 135 degrees
    const want = FROM.map((from, k) => from + ((TO[k] ?? 0) - from) * part);
    for (const k of [0, 1, 2])
      expect(Math.abs((seen[i]?.[k] ?? 0) - (want[k] ?? 0)), `${x}, ${y}: ${seen[i]}`).toBeLessThan(3);
  }
  const [ground] = await pixels(page, page.locator('body'), [[0.02, 0.5]]);
  expect(ground).toEqual([0xf3, 0xf5, 0xf8]);
  const [card] = await pixels(page, page.locator('main > div'), [[0.5, 0.01]]);
  expect(card).toEqual([255, 255, 255]);
  expect(await page.getByRole('link', { name: 'Sign up' }).evaluate((a) => getComputedStyle(a).color)).toBe(
    'rgb(26, 74, 184)',
  );
  expect(await page.locator('meta[name=theme-color]').count()).toBe(0);
});

const GREEN = {
  PORTICO_BRAND_COLOUR: '#0b5d3b',
  PORTICO_BRAND_GRADIENT: '#2f8f5b,#0b5d3b',
  PORTICO_BRAND_RADIUS: '4',
};
const AMBER = { PORTICO_BRAND_COLOUR: '#7a5b00', PORTICO_BRAND_GRADIENT: '#ffd500,#ffb000' };

// Each state has its contrast in the dark measured in look.test.ts.
test.each([
  [
    'green',
    GREEN,
    [
      ['signup', 'invalid', 'light'],
      ['verify-code', 'wrong', 'dark'],
    ],
  ],
  ['amber', AMBER, [['account', 'verified', 'dark']]],
] as const)('the brand %s keeps the policy, hydrates and can be read', async (_, brand, states) => {
  const branded = await start(brand);
  const there = { ...world, origin: branded.origin };
  for (const [screen, state, scheme] of states) {
    const { page, complaints } = await visit(there, pathOf(screen, state, 'en', scheme));
    expect.soft(complaints).toEqual([]);
    expect.soft(await dimTexts(page)).toEqual([]);
    const style = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    expect(style).toBe(scheme);
  }
  branded.close();
});

test('the scheme auto follows the system', async () => {
  const server = await start({ PORTICO_BRAND_SCHEME: 'auto' });
  const there = { ...world, origin: server.origin };
  const ground = async (colorScheme: 'light' | 'dark') => {
    const { page, complaints } = await visit(there, '/auth/signin', { colorScheme });
    expect(complaints).toEqual([]);
    const [pixel] = await pixels(page, page.locator('body'), [[0.02, 0.5]]);
    return pixel;
  };
  expect(await ground('light')).toEqual([0xf3, 0xf5, 0xf8]);
  expect(await ground('dark')).toEqual([0x10, 0x14, 0x1b]);
  server.close();
});

test('a text of the operator that repeats a placeholder shows its value each time', async () => {
  const folder = mkdtempSync(`${tmpdir()}/portico-texts-`);
  const texts = {
    'account-apps.since': 'Since {time}, not before {time}',
    'common.terms_label': '{link}: I accept the {link}.',
    'verify-code.sender': 'From {sender}, only {sender}',
  };
  writeFileSync(`${folder}/en.json`, JSON.stringify(texts));
  const server = await start({ PORTICO_TEXTS: folder });
  const there = { ...world, origin: server.origin };
  for (const [screen, state, values] of [
    ['account-apps', 'idle', '.entry:first-child time'],
    ['signup', 'terms', 'form label a'],
    ['verify-code', 'idle', 'main bdi'],
  ] as const) {
    const { page, complaints } = await visit(there, pathOf(screen, state));
    expect.soft(await page.locator(values).count(), screen).toBe(2);
    expect.soft(complaints, screen).toEqual([]);
  }
  server.close();
  rmSync(folder, { recursive: true });
});
