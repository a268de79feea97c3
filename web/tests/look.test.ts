import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STATES } from '../fixtures/states.mjs';
import { pathOf } from '../tools/gallery.mjs';
import { dimTexts, violations } from './axe';
import {
  type Api,
  appeared,
  darkStyle,
  hydrated,
  openWorld,
  restyle,
  type Visit,
  visit,
  type World,
} from './browser';

const API: Api = {
  // Asked when the focus comes back to the page, which a new window size can do.
  '/auth/api/flows/flow1': 'hang',
  '/auth/api/session': 'hang',
};

let world: World;
let page: Page;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Opens a state in a window of this size. */
async function open(
  screen: string,
  state: string,
  [width, height]: readonly [number, number],
  locale = 'en',
): Promise<Visit> {
  const opened = await visit(world, pathOf(screen, state, locale), { api: API, viewport: { width, height } });
  page = opened.page;
  return opened;
}

/** The short form takes the first state of each screen, and the full form the states that it leaves out. */
const FULL = process.env['PORTICO_TESTS'] === 'full';
const JUDGED = STATES.filter(([screen], i) => (screen === STATES[i - 1]?.[0]) === FULL);
const once = test.skipIf(FULL); // what the short form judges as a whole

test.each(JUDGED.map(([screen, state]) => [screen, state] as const))('%s, %s', async (screen, state) => {
  const { complaints } = await open(screen, state, [1280, 1600]);
  expect.soft(complaints, 'hydration and policy').toEqual([]);
  expect.soft(await jumps(page), 'layout shift').toBeLessThan(0.05);
  await appeared(page);
  expect.soft(await brokenImages(page), 'broken images').toEqual([]);
  expect.soft(await violations(page), 'accessibility').toEqual([]);
  expect.soft(await dimInTheDark(page), 'contrast in the dark').toEqual([]);
  expect.soft(await smallTargets(page), 'targets under 24 px').toEqual([]);
  expect.soft(await heightOf(page), 'window less one pixel').toBe(1599);
  const card = await page.locator('main > div').boundingBox();
  // A page of the account has the sections at its side, and its card always begins at the same height.
  const own = screen.startsWith('account');
  const place = own ? { width: 640, x: 454, y: 96 } : { width: 450, x: (1280 - 450) / 2 };
  expect.soft(card, 'place of the card').toMatchObject(place);
  if (own) expect.soft(await page.locator('.rail [aria-current]').count(), 'this page in the rail').toBe(1);
  await walkByKeyboard(page);
  await page.setViewportSize({ width: 1280, height: 500 });
  expect.soft(await overlap(page), 'logo over the card').toBe(false);

  await open(screen, state, [320, 640], 'de');
  expect.soft(await smallTargets(page), 'targets under 24 px at 320 px').toEqual([]);
  expect.soft(await sideways(page), 'at 320 px').toBe(0);
  await restyle(
    page,
    '*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-bottom:2em!important}',
  );
  expect.soft(await sideways(page), 'with wide text spacing').toBe(0);
  await restyle(page, ':root{font-size:200%!important}');
  expect.soft(await sideways(page), 'with twice the text size').toBe(0);
  expect.soft(await outsideTheCard(page), 'outside the card with twice the text size').toEqual([]);
});

/** The images that did not load. */
const brokenImages = (page: Page) =>
  page.evaluate(() => [...document.images].filter((image) => !image.naturalWidth).map(({ src }) => src));

/** Texts with too little contrast in the dark scheme. Another visit would take twice the time. */
async function dimInTheDark(page: Page): Promise<string[]> {
  await restyle(page, await darkStyle(world));
  const found = await dimTexts(page);
  await restyle(page, '');
  return found;
}

once('on a slow phone the card is painted whole, and does not move', async () => {
  // The throttle keeps a processor busy.
  const context = await world.browser.newContext({ viewport: { width: 1280, height: 1600 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 12 });
  await page.goto(`${world.origin}/dev/screens/signin/all-providers/light`);
  await hydrated(page);
  expect(await jumps(page)).toBe(0);
  await context.close();
});

/** How much moved by itself since the document was first painted (CLS). The paint comes in the same list. */
const jumps = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const shift of list.getEntriesByType('layout-shift'))
            sum += (shift as PerformanceEntry & { value: number }).value;
          if (list.getEntriesByName('first-contentful-paint').length > 0) resolve(sum);
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        observer.observe({ type: 'paint', buffered: true });
      }),
  );

const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const heightOf = (page: Page) =>
  page.evaluate(() => document.getElementById('root')?.getBoundingClientRect().height);

const smallTargets = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'a, button, summary, input:not([type=hidden], [tabindex="-1"])',
      ),
    ]
      .filter((element) => element.checkVisibility())
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        return width < 24 || height < 24;
      })
      .map((element) => element.outerHTML.slice(0, 80)),
  );

/** Whether the logo covers a part of the card. */
const overlap = (page: Page) =>
  page.evaluate(() => {
    const [logo, card] = ['header', 'main > div'].map((part) =>
      document.querySelector(part)?.getBoundingClientRect(),
    );
    return !logo || !card || (logo.right > card.left && logo.bottom > card.top);
  });

/** The elements that stick out of the card. The field of the code is wider than its visible part. */
const outsideTheCard = (page: Page) =>
  page.evaluate(() => {
    const card = document.querySelector('main > *');
    const right = card?.getBoundingClientRect().right ?? 0;
    return [...(card?.querySelectorAll('*:not(#code)') ?? [])]
      .filter((element) => element.getBoundingClientRect().right > right)
      .map((element) => element.outerHTML.slice(0, 100));
  });

/** Tab reaches everything once, from top to bottom of each part of the page, shows where it is, and leaves again. */
async function walkByKeyboard(page: Page): Promise<void> {
  await page.locator('header a').focus();
  const stops = await page
    .locator(
      'a, button, summary, select, input:not([type=hidden], [tabindex="-1"], [type=radio]:not(:checked))', // a group is one stop
    )
    .filter({ visible: true })
    .count();
  const notes = await page.evaluateHandle(noteStops);
  for (let i = 0; i < stops; i += 1) await page.keyboard.press('Tab');
  const noted = await notes.jsonValue();
  expect.soft(noted, 'stops').toHaveLength(stops);
  let above = 0;
  let beside = '';
  for (const stop of noted.slice(1)) {
    if (stop.part !== beside) above = 0;
    beside = stop.part;
    expect.soft(stop.ring, `focus ring of ${stop.html}`).toBe(true);
    expect.soft(stop.bottom, `order of ${stop.html}`).toBeGreaterThan(above - 10); // the toggle stands inside its field
    above = stop.bottom;
  }
  expect.soft(await page.evaluate(() => document.activeElement?.tagName), 'no trap').toMatch(/^(BODY|A)$/);
}

/** The list of what had the focus at each key from now on. To ask the page after each key takes longer than the rest. */
function noteStops() {
  const noted: { bottom: number; ring: boolean; html: string; part: string }[] = [];
  const note = () => {
    const element = document.activeElement as HTMLElement;
    const drawn =
      (element.id === 'code' ? document.querySelector<HTMLElement>('[data-next="true"]') : null) ?? element;
    const { outlineStyle, boxShadow } = getComputedStyle(drawn);
    noted.push({
      bottom: element.getBoundingClientRect().bottom,
      ring: outlineStyle !== 'none' || boxShadow !== 'none',
      html: element.outerHTML.slice(0, 80),
      part: element.closest('main, .rail')?.tagName ?? '',
    });
  };
  addEventListener('keydown', note, true);
  return noted;
}

once.each([
  ['signin', 'idle'],
  ['signup', 'invalid'],
  ['verify-code', 'wrong'],
  ['account', 'idle'],
])('%s, %s stands right to left too', async (screen, state) => {
  await open(screen, state, [360, 740]);
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl';
  });
  expect(await sideways(page)).toBe(0);
  const first = page.locator('input[type=password]').first();
  const field = (await first.count()) ? await first.boundingBox() : null;
  if (field) {
    const toggle = await page.getByRole('button', { name: 'Show password' }).first().boundingBox();
    expect(toggle?.x).toBeLessThan(field.x + field.width / 2);
  }
});

once.each([
  ['signin', 'idle', 1280, 800],
  ['signup', 'no-passkeys', 1280, 800],
  ['forgot-password', 'idle', 1280, 800],
  ['verify-code', 'idle', 1280, 800],
  ['verify-code', 'recovery', 1280, 800],
  ['signin', 'idle', 360, 740],
  ['signup', 'no-passkeys', 360, 740],
  ['forgot-password', 'idle', 360, 740],
  ['verify-code', 'idle', 360, 740],
  ['verify-code', 'recovery', 360, 740],
])('%s/%s is in sight as a whole at %i by %i', async (screen, state, width, height) => {
  for (const locale of ['en', 'de']) {
    await open(screen, state, [width, height], locale);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
  }
});

once.each([
  [1280, 800],
  [360, 740],
])(
  'the form and the providers of the sign-up are in sight at %i by %i, above the passkey',
  async (width, height) => {
    for (const locale of ['en', 'de']) {
      await open('signup', 'idle', [width, height], locale);
      const provider = await page.locator('[formaction]').last().boundingBox();
      const passkey = await page.locator('button[name=passkey]').boundingBox();
      expect((provider?.y ?? height) + (provider?.height ?? 0)).toBeLessThan(height);
      expect(passkey?.y).toBeGreaterThan(provider?.y ?? height);
    }
  },
);

once('nothing moves for those who asked for less motion', async () => {
  const { page } = await visit(world, '/dev/screens/signin/idle/light', {
    reducedMotion: 'reduce',
    api: { '/auth/api/signin': 'hang' },
  });
  await page.getByLabel('Email').fill('mara@example.com');
  await page.getByLabel('Password', { exact: true }).fill('some password');
  await page.getByRole('button', { name: 'Login' }).click();
  await page.locator('button[aria-busy=true]').waitFor();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});
