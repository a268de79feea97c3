const CONTROLS = 'a[href], button, input, select, textarea, summary';

/** The control with the focus, and where the focus goes without it: on to the next ones, then back. */
let around: HTMLElement[] = [];

/** What is over the page gives the focus back to the control that opened it. */
const over = (target: EventTarget | null) =>
  target instanceof Element && target.closest('dialog, [popover]') !== null;

function remember({ target }: FocusEvent) {
  if (!(target instanceof HTMLElement) || over(target)) return;
  const all = [...document.querySelectorAll<HTMLElement>(`main :is(${CONTROLS})`)];
  const at = all.indexOf(target);
  around = at < 0 ? [] : [...all.slice(at), ...all.slice(0, at).reverse()];
}

const toHeading = () => document.querySelector<HTMLElement>('h1')?.focus();

/**
 * Puts the focus on the title when a step goes on, which would leave it to a neighbor of its button,
 * such as a link away. Whoever has gone elsewhere meanwhile stays there.
 */
export function onFrom(step: Element): void {
  const at = document.activeElement;
  if (at === document.body || step.contains(at)) toHeading();
}

/** Gives the focus back to the control that had it, or to the nearest one that is still there. */
export function refocus(): void {
  const near = around.find((control) => control.isConnected && control.checkVisibility());
  if (near) near.focus();
  else toHeading();
}

/** A control that goes with its row or its filter leaves the focus to its neighbor. Without it, the keyboard starts at the top. */
export function keepFocus(): void {
  addEventListener('focusin', remember);
  addEventListener('pointerdown', ({ target }) => {
    if (!over(target)) around = []; // a press beside all controls
  });
  new MutationObserver(() => {
    const gone = around[0] && !around[0].isConnected;
    if (gone && document.activeElement === document.body) refocus();
  }).observe(document.body, { childList: true, subtree: true });
}
