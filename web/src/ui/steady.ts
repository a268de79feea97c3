/*
 * A press must reach the control that the user aimed at. Messages that appear when a field
 * loses the focus wait until the press has ended (afterPress). When content appears or
 * disappears, the control under the pointer stays in its place (keepSteady).
 */

const CONTROL = 'button, a, input, label, summary';

/** The least free space between the card and the edge of its surroundings, in pixels. */
const EDGE = 8;

let pressed = false;

/** Runs the change at once, or after the press that is under way: the click follows its release. */
export function afterPress(change: () => void): void {
  if (pressed) addEventListener('mouseup', () => setTimeout(change), { once: true });
  else change();
}

const placeOf = (element: Element) => element.getBoundingClientRect().top;

/**
 * Keeps the control under the pointer in its place when the content of the card changes.
 * Without a control there it keeps the title. The card moves within the space around it,
 * and the page scrolls by the rest. It works until the document is unloaded.
 */
export function keepSteady(card: HTMLElement): void {
  const around = card.parentElement as HTMLElement;
  const title = card.querySelector('h1') as Element;
  let anchor = title;
  let place = placeOf(title);
  let shift = 0;

  const measure = () => {
    place = placeOf(anchor);
  };

  const hold = ({ target }: Event) => {
    anchor = (target as Element).closest(CONTROL) ?? title;
    measure();
  };

  const shiftBy = (pixels: number) => {
    shift += pixels;
    card.style.top = `${shift}px`;
  };

  /** How far the card may move in this direction. */
  const space = (side: 'top' | 'bottom') =>
    Math.max(0, Math.abs(card.getBoundingClientRect()[side] - around.getBoundingClientRect()[side]) - EDGE);

  const settle = () => {
    if (!anchor.isConnected) anchor = title;
    else {
      const moved = Math.round(placeOf(anchor) - place);
      if (moved > 0) {
        const up = Math.min(moved, space('top'));
        shiftBy(-up);
        scrollDown(moved - up);
      } else if (moved < 0) {
        const up = Math.min(-moved, scrollY);
        scrollBy(0, -up);
        if (scrollY === 0) document.body.style.paddingBottom = '';
        shiftBy(Math.min(-moved - up, space('bottom')));
      }
    }
    measure();
  };

  const reset = () => {
    shiftBy(-shift);
    measure();
  };

  // The next event may come before the next frame, so a ResizeObserver alone would be too late.
  new MutationObserver(settle).observe(card, { subtree: true, childList: true, characterData: true });
  new ResizeObserver(settle).observe(card);
  document.addEventListener('mouseover', hold, true);
  document.addEventListener(
    'mousedown',
    (event) => {
      pressed = event.button === 0; // another mouse button may open a menu, which takes the release event
      hold(event);
    },
    true,
  );
  document.addEventListener('mouseup', () => (pressed = false), true);
  addEventListener('resize', reset);
  addEventListener('scroll', measure);
}

/** Scrolls even if the page is too short for it. */
function scrollDown(pixels: number): void {
  const missing = scrollY + pixels + innerHeight - document.documentElement.scrollHeight;
  if (missing > 0) {
    const { style } = document.body;
    style.paddingBottom = `${Number.parseFloat(style.paddingBottom || '0') + missing}px`;
  }
  scrollBy(0, pixels);
}
