import { afterAll, beforeAll, expect, test } from 'vitest';
import { STATES } from '../fixtures/states.mjs';
import { pathOf } from '../tools/gallery.mjs';
import { openWorld, visit, type World } from './browser';

/** What a finger needs (WCAG 2.5.5). A link in a sentence needs 24 (WCAG 2.5.8). */
const FINGER = 44;

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** The short form takes the first state of each screen, and the full form the states that it leaves out. */
const FULL = process.env['PORTICO_TESTS'] === 'full';
const JUDGED = STATES.filter(([screen], i) => (screen === STATES[i - 1]?.[0]) === FULL);
const SCREENS = [...new Set(JUDGED.map(([screen]) => screen))];

test.each(SCREENS)('a finger hits every control of %s', async (screen) => {
  for (const [, state] of JUDGED.filter(([name]) => name === screen)) {
    const asks = { '/auth/api/flows/flow1': 'hang', '/auth/api/session': 'hang' } as const;
    const { page } = await visit(world, pathOf(screen, state), { api: asks, ...PHONE });
    expect.soft(await page.evaluate(missed, FINGER), state).toEqual([]);
  }
});

/**
 * The controls whose area is less high than `finger`, with what is unfolded. The area is what a press at these points
 * would reach: padding that another control covers does not count. Runs in the page.
 */
function missed(finger: number): string[] {
  const reaches = (control: Element, x: number, y: number) =>
    Boolean(control.contains(document.elementFromPoint(x, y)));
  const from = (control: Element, x: number, y: number, step: number) => {
    let far = 0;
    while (far < finger && reaches(control, x, y + step * (far + 1))) far += 1;
    return far;
  };
  const inSentence = ({ parentElement: text }: Element) =>
    [...(text?.childNodes ?? [])].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
  const menu = document.querySelector<HTMLDetailsElement>('.language-menu');
  const found: string[] = [];
  for (const details of document.querySelectorAll('main details')) details.setAttribute('open', '');
  for (const element of document.querySelectorAll(
    'a[href], button, summary, select, input:not([type=hidden])',
  )) {
    if (menu) menu.open = menu.contains(element) && element.matches('button');
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const box =
      element.matches('[type=checkbox], [type=radio], [type=file]') &&
      (element as HTMLInputElement).labels?.[0];
    const control = box || element;
    control.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = control.getBoundingClientRect();
    if (!reaches(control, x + width / 2, y + height / 2)) continue; // such as the link that skips to the content
    const [up, down] = [-1, 1].map((step) => from(control, x + width / 2, y + height / 2, step)) as [
      number,
      number,
    ];
    const least = control.matches('a') && inSentence(control) ? 24 : finger;
    if (up + 1 + down < least)
      found.push(`${(element.textContent || element.outerHTML).trim()}: ${up + 1 + down}`);
  }
  return found;
}
