import { expect, type Locator, type Page } from '@playwright/test';

const MOST = 60;

const hasFocus = (element: Locator) =>
  element.evaluateAll((found) => found.some((one) => one === document.activeElement));

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let press = 0; press < MOST; press += 1) {
    if (await hasFocus(wanted)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${wanted}`);
}

/** Goes to the element with Tab, and presses a key on it. */
export async function press(page: Page, wanted: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, wanted);
  await page.keyboard.press(key);
}

/**
 * Goes through a page with Tab. Every control is reached, once and in the order of the eye, is seen
 * with its focus, and Tab leads out behind the last one. Nothing is pressed.
 */
export async function expectKeyboard(page: Page): Promise<void> {
  const controls = await page.evaluateHandle(findControls);
  const names = await controls.evaluate((all) => all.map(({ name }) => name));
  expect(names, 'controls').not.toEqual([]);
  const faults: string[] = [];
  const met: string[] = [];
  for (let press = 0; press <= names.length; press += 1) {
    await page.keyboard.press('Tab');
    const at = await controls.evaluate(judge);
    if (!at) break;
    met.push(at.name);
    faults.push(...at.faults.map((fault) => `${at.name} ${fault}`));
  }
  // Behind the last control Tab leaves the page, or begins again where the browser has nothing else.
  expect.soft(met.length > names.length ? met.slice(0, -1) : met, 'reached by Tab').toEqual(names);
  if (met.length > names.length) expect.soft(met.at(-1), 'no way out').toBe(names[0]);
  expect.soft(faults, 'with the keyboard').toEqual([]);
  await controls.dispose();
}

interface Control {
  element: HTMLElement;
  name: string;
  /** How it and what is around it look now, and how they looked without the focus. */
  look: () => string;
  without: string;
}

/** All controls of the page, none of which has the focus. Runs in the page. */
function findControls(): Control[] {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  document.body.tabIndex = -1;
  document.body.focus(); // Tab begins at the top again
  document.body.removeAttribute('tabindex');
  const isStop = (element: HTMLElement) => {
    if (element.tabIndex < 0 || element.matches(':disabled') || !element.checkVisibility()) return false;
    if (!(element instanceof HTMLInputElement) || element.type !== 'radio') return true;
    const chosen = document.querySelector(`[name="${element.name}"]:checked`);
    return !chosen || chosen === element; // arrows lead to the other choices
  };
  const lookOf = (element: HTMLElement) => () => {
    const around = element.parentElement;
    const near = [element, around?.parentElement, around, ...(around?.querySelectorAll('*') ?? [])];
    const styles = near.flatMap((one) => (one ? getComputedStyle(one) : []));
    return styles.map((s) => [s.outline, s.boxShadow, s.borderColor, s.backgroundColor].join()).join();
  };
  return [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, summary, textarea')]
    .filter(isStop)
    .map((element) => ({
      element,
      name: `${element.localName} ${element.ariaLabel ?? element.getAttribute('name') ?? element.textContent}`,
      look: lookOf(element),
      without: lookOf(element)(),
    }));
}

/** The control with the focus, and what is wrong with it. Runs in the page. */
function judge(all: Control[]): { name: string; faults: string[] } | undefined {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return undefined;
  const at = all.findIndex((control) => control.element === element);
  const control = all[at];
  if (!control) return { name: `unknown ${element.outerHTML.slice(0, 80)}`, faults: [] };
  const faults: string[] = [];
  if (control.look() === control.without) faults.push('looks as without the focus');
  const [line = element.getBoundingClientRect()] = element.getClientRects();
  const hit = document.elementFromPoint(line.x + line.width / 2, line.y + line.height / 2);
  if (!(element.closest('label') ?? element).contains(hit)) faults.push('is covered or out of sight');
  const before = all[at - 1]?.element.getBoundingClientRect();
  const here = element.getBoundingClientRect();
  const beside = all[at - 1]?.element.closest('.rail') && !element.closest('.rail'); // from the sections to the content
  if (before && !beside && here.bottom <= before.top) faults.push('is above the control before it');
  return { name: control.name, faults };
}
