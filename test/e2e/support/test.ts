import {
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Page,
} from '@playwright/test';
import { Guard, NOTHING } from './guard.js';
import { World } from './world.js';

interface Fixtures {
  guard: Guard;
  /** A page in a new browser. */
  openBrowser: (options?: BrowserContextOptions) => Promise<Page>;
}

/** A journey: a guarded browser in front of its worker's own Portico. */
export const test = base.extend<Fixtures, { world: World }>({
  world: [
    async ({ playwright }, use) => {
      const world = await World.start(playwright.request);
      await use(world);
      await world.stop();
    },
    { scope: 'worker' },
  ],

  baseURL: ({ world }, use) => use(world.portico.origin),

  guard: async ({ world }, use) => use(new Guard(world)),

  context: async ({ context, guard }, use) => {
    await guard.watch(context);
    await use(context);
    await guard.sample(context);
    expect.soft(guard.findings).toEqual(NOTHING);
  },

  // Depends on the context, so that the context closes last and checks all others.
  openBrowser: async ({ browser, baseURL, guard, context: _ }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (options = {}) => {
      const another = await browser.newContext({ ...(baseURL ? { baseURL } : {}), ...options });
      opened.push(another);
      await guard.watch(another);
      return another.newPage();
    });
    for (const another of opened) {
      await guard.sample(another);
      await another.close();
    }
  },
});

export { expect } from '@playwright/test';
