// Pictures of the built screens, with sample data. CHROMIUM names the browser.
//   node tools/shots.mjs FOLDER [beginnings, as signin/]   every state in every language, 360 and 1280 px wide
//   node tools/shots.mjs --readme                          the pictures of the README

import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright';
import { STATES } from '../fixtures/states.mjs';
import { build, pathOf, start } from './gallery.mjs';
import { locales } from './messages.mjs';

const README = { signin: 'idle', signup: 'idle', 'forgot-password': 'idle', 'verify-code': 'idle' };
const WIDTHS = [360, 1280];
const images = new URL('../../docs/images/', import.meta.url).pathname;

const [folder, ...names] = process.argv.slice(2);
if (!folder) throw new Error('Name a folder, or --readme.');

build(); // or the pictures could be of an older build
const server = await start();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/lib/chromium/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu'],
});

/**
 * A page of the built screens. The API does not answer it.
 * @param {import('playwright').BrowserContextOptions} options
 */
async function open(options) {
  const page = await (
    await browser.newContext({ reducedMotion: 'reduce', timezoneId: 'UTC', ...options })
  ).newPage();
  await page.clock.setFixedTime(1_700_000_000_000); // as in the sample data: the pictures are the same each time
  await page.route('**/auth/api/**', () => {});
  /** @param {string} path @param {string} file @param {boolean} fullPage */
  return async (path, file, fullPage) => {
    await page.goto(server.origin + path);
    await page.evaluate(() => /** @type {any} */ (document.activeElement)?.blur()); // no blinking caret
    await page.screenshot({ path: file, fullPage, animations: 'disabled' });
  };
}

if (folder === '--readme') {
  const shoot = await open({ viewport: { width: 560, height: 860 } });
  for (const [screen, state] of Object.entries(README))
    await shoot(pathOf(screen, state), `${images}${screen}.png`, false);
} else {
  const wanted = STATES.filter(
    ([screen, state]) => names.length === 0 || names.some((name) => `${screen}/${state}`.startsWith(name)),
  );
  for (const locale of locales) {
    mkdirSync(`${folder}/${locale}`, { recursive: true });
    for (const width of WIDTHS) {
      const shoot = await open({ viewport: { width, height: width === 360 ? 740 : 800 }, locale });
      for (const [screen, state] of wanted)
        await shoot(
          pathOf(screen, state, locale),
          `${folder}/${locale}/${screen}-${state}-${width}.png`,
          true,
        );
    }
  }
  console.log(`${wanted.length} states in ${locales.length} languages: ${folder}`);
}
await browser.close();
server.close();
