import { chromium } from '@playwright/test';
import type { Engine } from './engine.js';

export async function startChromium(): Promise<Engine> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const page = await browser.newPage();
  return {
    resize: (size) => page.setViewportSize(size),
    goto: async (url) => void (await page.goto(url)),
    evaluate: (body) => page.evaluate(`(() => { ${body} })()`),
    move: (x, y) => page.mouse.move(x, y),
    down: () => page.mouse.down(),
    up: () => page.mouse.up(),
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
    stop: () => browser.close(),
  };
}
