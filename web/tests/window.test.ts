/** The four screens in the windows that people have, with a passkey button and one provider. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, shown, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const SCREENS = ['signin/idle', 'signup/idle', 'forgot-password/idle', 'verify-code/idle'];
const FITTING = [
  [1280, 800],
  [1366, 768],
  [1280, 720],
  [390, 844],
  [360, 740],
] as const;

const open = (path: string, [width, height]: readonly [number, number]) =>
  visit(world, shown(path), { viewport: { width, height } });

test.each(FITTING)('a page is as high as a window of %i by %i less one pixel', async (...size) => {
  for (const path of SCREENS) {
    const { page } = await open(path, size);
    const height = await page.evaluate(() => document.getElementById('root')?.getBoundingClientRect().height);
    expect.soft(height, path).toBe(size[1] - 1);
  }
});

test.each([...FITTING, [320, 640] as const])(
  'the main button, and a field at fault, are in sight at %i by %i',
  async (...size) => {
    for (const path of SCREENS) {
      const { page } = await open(path, size);
      const button = page.locator('button[type=submit]').first();
      const box = await button.boundingBox();
      expect.soft((box?.y ?? Infinity) + (box?.height ?? 0), path).toBeLessThanOrEqual(size[1]);
      if (path.startsWith('verify-code')) continue; // its button waits for six digits
      await button.click();
      await page.locator('[aria-invalid=true]').first().waitFor();
      const field = await page.locator('[aria-invalid=true]').first().boundingBox();
      expect.soft(field?.y, `${path}: the field after a mistake`).toBeGreaterThanOrEqual(0);
      expect.soft(field?.y, `${path}: the field after a mistake`).toBeLessThan(size[1]);
    }
  },
);
