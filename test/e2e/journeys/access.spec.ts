import type { Page } from '@playwright/test';
import axe, { type AxeResults } from 'axe-core';
import { expectKeyboard } from '../support/keyboard.js';
import { STATES } from '../support/states.js';
import { expect, test } from '../support/test.js';

// The states that only script makes: axe finds no violation at 1280 and 320 px, and
// nothing scrolls sideways, also at twice the text size. There a keyboard leads through all controls.

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const shows = (screen: string, state: string) => state === screen || state.startsWith(`${screen}-`);

for (const { name, reach } of STATES) {
  test(name, async ({ page, world, guard }) => {
    guard.allow(/net::ERR_FAILED/);
    await reach(page, world);
    expect(shows(await screenOf(page), name), `${name} shows ${await screenOf(page)}`).toBe(true);
    await appeared(page);
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await violations(page), `violations at ${width} px`).toEqual([]);
      expect.soft(await sideways(page), `sideways scroll at ${width} px`).toBe(0);
    }
    await twiceTheText(page);
    expect.soft(await sideways(page), 'sideways scroll at 320 px with twice the text size').toBe(0);
    expect.soft(await outsideTheCard(page), 'outside the card with twice the text size').toEqual([]);
    await expectKeyboard(page);
  });
}

/** The name of the screen in the data of the page. */
const screenOf = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.parse(document.getElementById('boot')?.textContent ?? '').screen);

/** Waits for the buttons that appear a moment after the page. Half there, they have too little contrast. */
const appeared = (page: Page) =>
  page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });

/** The broken rules. axe comes into a page once, and writes no report of the kept ones: that took most of its time. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] });
  const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return (found as AxeResults['violations']).map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`,
  );
}

/** How far the page scrolls sideways; a gutter for the scroll bar makes the difference negative. */
const sideways = (page: Page) =>
  page.evaluate(() =>
    Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
  );

/** The elements that stick out of the card. The field of the code is wider than its visible part. */
const outsideTheCard = (page: Page) =>
  page.evaluate(() => {
    const card = document.querySelector('main > *');
    const right = card?.getBoundingClientRect().right ?? 0;
    return [...(card?.querySelectorAll('*:not(#code)') ?? [])]
      .filter((element) => element.getBoundingClientRect().right > right)
      .map((element) => element.outerHTML.slice(0, 100));
  });

/** Doubles the text size. The content policy forbids a style element, but not the CSSOM. */
const twiceTheText = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':root { font-size: 200% !important }');
    document.adoptedStyleSheets = [sheet];
  });
