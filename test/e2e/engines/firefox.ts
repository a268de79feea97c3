import puppeteer from 'puppeteer-core';
import type { Engine } from './engine.js';

/** Debian's Firefox over WebDriver BiDi: Playwright drives only builds of its own. */
export async function startFirefox(): Promise<Engine> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr',
    headless: true,
    timeout: 120_000,
    protocolTimeout: 120_000,
    extraPrefsFirefox: {
      'app.update.enabled': false,
      'browser.safebrowsing.downloads.remote.enabled': false,
      'datareporting.policy.dataSubmissionEnabled': false,
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
      'services.settings.server': 'data:,',
    },
  });
  const page = await browser.newPage();
  return {
    resize: (size) => page.setViewport(size),
    goto: async (url) => void (await page.goto(url, { timeout: 60_000 })),
    evaluate: <T>(body: string) => page.evaluate(`(() => { ${body} })()`) as Promise<T>,
    move: (x, y) => page.mouse.move(x, y),
    down: () => page.mouse.down(),
    up: () => page.mouse.up(),
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
    stop: () => browser.close(),
  };
}
