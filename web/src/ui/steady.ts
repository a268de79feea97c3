/*
 * A press must reach the control that it was aimed at. So what leaving a field
 * brings up waits until the press is over (afterPress), and whatever comes or
 * goes at any time leaves the control under the pointer where it is
 * (keepSteady).
 */

const CONTROL = 'button, a, input, label, summary';

/** Free space that stays between the card and the edge of its surroundings, in pixels. */
const EDGE = 8;

let pressed = false;

/** Runs the change at once, or when the press that is under way has been handled: the click comes right after the release. */
export function afterPress(change: () => void): void {
  if (pressed) addEventListener('mouseup', () => setTimeout(change), { once: true });
  else change();
}

const placeOf = (element: Element) => element.getBoundingClientRect().top;

/**
 * Keeps the control under the pointer, else the title, in its place when the
 * content of the card changes: the card moves within the space around it, and
 * the page scrolls by the rest. It works as long as the document lives.
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

  /** How far the card may move to this side. */
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
      pressed = event.button === 0; // another button may open a menu that keeps the release for itself
      hold(event);
    },
    true,
  );
  document.addEventListener('mouseup', () => (pressed = false), true);
  addEventListener('resize', reset);
  addEventListener('scroll', measure);
}

/** Scrolls also where the page is too short for it. */
function scrollDown(pixels: number): void {
  const missing = scrollY + pixels + innerHeight - document.documentElement.scrollHeight;
  if (missing > 0) {
    const { style } = document.body;
    style.paddingBottom = `${Number.parseFloat(style.paddingBottom || '0') + missing}px`;
  }
  scrollBy(0, pixels);
}
