/** The four screens in the windows that people have, with a passkey button and one provider. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, openWorld, problem, shown, visit, type World } from './browser';

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

const open = (path: string, [width, height]: readonly [number, number], api: Api = {}) =>
  visit(world, shown(path), { viewport: { width, height }, api });

test.each(FITTING)('a page is as high as a window of %i by %i less one pixel', async (...size) => {
  for (const path of SCREENS) {
    const { page } = await open(path, size);
    const height = await page.evaluate(() => document.getElementById('root')?.getBoundingClientRect().height);
    expect.soft(height, path).toBe(size[1] - 1);
  }
});

test.each([...FITTING, [320, 640] as const])(
  'the main button, and after a mistake the title and the field, are in sight at %i by %i',
  async (...size) => {
    for (const path of SCREENS) {
      const { page } = await open(path, size);
      const button = page.locator('button[type=submit]').first();
      const box = await button.boundingBox();
      expect.soft((box?.y ?? Infinity) + (box?.height ?? 0), path).toBeLessThanOrEqual(size[1]);
      if (path.startsWith('verify-code')) continue; // its button waits for six digits
      await button.click();
      await page.locator('[aria-invalid=true]').first().waitFor();
      expect
        .soft((await page.locator('h1').boundingBox())?.y, `${path}: the title`)
        .toBeGreaterThanOrEqual(0);
      const field = await page.locator('[aria-invalid=true]').first().boundingBox();
      expect.soft(field?.y, `${path}: the field after a mistake`).toBeGreaterThanOrEqual(0);
      expect.soft(field?.y, `${path}: the field after a mistake`).toBeLessThan(size[1]);
    }
  },
);

test('a window over a page of the account covers it from edge to edge', async () => {
  const { page } = await open('account-delete/idle', FITTING[0]);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await page.evaluate(() => document.documentElement.offsetWidth)).toBe(1280); // no gutter beside it
});

/** The line of the title has 8 pixels above its letters. */
const ABOVE_LETTERS = -8;

const ANSWERS: Record<string, Api[string]> = {
  'without a network': 'abort',
  'of a wrong password': problem(422, { code: 'signin.rejected' }),
  'of a broken server': problem(500, { code: 'internal' }),
  'of a limit': problem(429, { code: 'throttle.limited', retry_after: 30 }),
};

test.each(FITTING)('an answer leaves title and message in sight at %i by %i', async (...size) => {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const { page } = await open('signin/idle', size, { '/auth/api/signin': answer as Api[string] });
    await page.locator('#email').fill('mara@example.com');
    await page.locator('#password').fill('not the right one');
    const button = page.locator('button[type=submit]').first();
    const before = (await button.boundingBox())?.y ?? 0;
    await button.click();
    await page.locator('[role=alert] p').first().waitFor();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))); // the countdown draws once more
    expect
      .soft((await page.locator('h1').boundingBox())?.y, `${name}: the title`)
      .toBeGreaterThanOrEqual(ABOVE_LETTERS);
    if (name !== 'of a wrong password') continue;
    const after = (await button.boundingBox())?.y ?? 0; // the one that comes most often
    expect.soft(Math.abs(after - before), `${name}: the pressed button`).toBeLessThanOrEqual(2);
  }
});
