import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@playwright/test';
import type { Engine } from './engine.js';

/** Opens a screen, waits for hydration, and records all clicks from then on. */
export async function open(browser: Engine, url: string): Promise<void> {
  await browser.goto(url);
  await alive(browser, 'main form');
  await browser.evaluate(`
    globalThis.clicked = [];
    const note = ({ target }) => {
      const control = target.closest('button, a');
      if (control) clicked.push(control.textContent);
    };
    document.addEventListener('click', note, true);`);
}

/** Waits for a screen with this element and for its hydration, which turns off the browser's own checks. */
export const alive = (browser: Engine, element: string) =>
  expect
    .poll(
      () =>
        browser
          .evaluate(`return document.querySelector('${element}')?.closest('form').noValidate === true`)
          .catch(() => false), // between two pages
    )
    .toBe(true);

export const clicked = (browser: Engine) => browser.evaluate<string[]>(`return clicked`);

export async function click(browser: Engine, control: string): Promise<void> {
  await browser.evaluate(`document.querySelector('${control}').scrollIntoView({ block: 'nearest' });`);
  const { x, y } = await at(browser, control);
  await browser.move(x, y);
  await browser.down();
  await browser.up();
}

/** Clicks a field and types a text into it. */
export async function fill(browser: Engine, field: string, text: string): Promise<void> {
  await click(browser, field);
  await browser.type(text);
  await expect.poll(() => browser.evaluate(`return document.querySelector('${field}').value`)).toBe(text);
}

interface Point {
  x: number;
  y: number;
}

/** The middle of a control in the window. */
export const at = (browser: Engine, control: string) =>
  browser.evaluate<Point>(`
    const { left, top, width, height } = document.querySelector('${control}').getBoundingClientRect();
    return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };`);

/** The control has not moved, except by rounding to whole pixels. */
export async function expectAt(
  browser: Engine,
  control: string,
  { x, y }: Point,
  when: string,
): Promise<void> {
  const now = await at(browser, control);
  // A narrow window has no gutter: a scroll bar that appears moves the control by half of its width.
  expect(Math.abs(now.x - x), `${when}: pixels sideways`).toBeLessThanOrEqual(8);
  expect(Math.abs(now.y - y), `${when}: pixels up or down, from ${y} to ${now.y}`).toBeLessThanOrEqual(2);
}

/** As long as a person's press, and longer than the reaction of a page. */
const PRESS_MS = 250;

/** Presses a control as a person does. It must not move while the button is down, nor after that. */
export async function pressSlowly(browser: Engine, control: string): Promise<Point> {
  await browser.evaluate(`document.querySelector('${control}').scrollIntoView({ block: 'center' });`);
  const point = await at(browser, control);
  await browser.move(point.x, point.y);
  await browser.down();
  await pause(PRESS_MS);
  await expectAt(browser, control, point, 'while the press is down');
  await browser.up();
  await pause(PRESS_MS);
  await expectAt(browser, control, point, 'after the press');
  return point;
}

/** Waits until an element has text. */
export const shown = (browser: Engine, place: string) =>
  expect
    .poll(() => browser.evaluate(`return document.querySelector('${place}')?.textContent ?? ''`))
    .not.toBe('');
