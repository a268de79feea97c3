import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The broken rules of axe, with their elements. A report of the kept rules would take twice the time. */
export async function violations(page: Page, runOnly: object = ALL): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return (found as AxeResults['violations']).map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
}

/** The same by the rules that colors alone can break: what is left to ask of a page in another scheme. */
export const dimTexts = (page: Page) =>
  violations(page, { type: 'rule', values: ['color-contrast', 'link-in-text-block'] });
