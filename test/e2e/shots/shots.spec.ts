import { fileURLToPath } from 'node:url';
import { STATES } from '../support/states.js';
import { test } from '../support/test.js';

const folder = fileURLToPath(new URL('../results/shots/', import.meta.url));

for (const { name, reach } of STATES) {
  test(name, async ({ page, world, guard }) => {
    guard.allow(/net::ERR_FAILED/);
    await reach(page, world);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: width === 360 ? 740 : 800 });
      await page.screenshot({
        path: `${folder}${name}-${width}.png`,
        fullPage: true,
        animations: 'disabled',
      });
    }
  });
}
