import { keep, take } from './tab-storage';

const KEY = 'portico-rows';

/**
 * Where two lists differ: the first entry that is new or has changed. After a removal it is the entry that
 * has moved up, or the last one. -1 if the lists are alike, or nothing is left.
 */
export function changedRow(
  before: readonly number[],
  after: readonly number[],
): { at: number; gone: boolean } {
  const at = after.findIndex((row, i) => row !== before[i]);
  const gone = after.length < before.length;
  if (at < 0) return { at: gone ? after.length - 1 : -1, gone };
  return { at, gone };
}

/** A number for the name of an entry, its badge, its buttons and its id, so that nothing personal is kept. */
const numberOf = (row: Element) => {
  const parts = [...row.querySelectorAll('.entry-name, button, summary, [type=hidden]')];
  const words = parts.map((part) => part.getAttribute('value') ?? part.textContent).join();
  return [...words].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) | 0, 7);
};

const rows = () => [...document.querySelectorAll<HTMLElement>('.entries > .entry')];

/** Keeps the lists of the page for the page after a change, which may be another step before it, and whether a key was pressed last. */
export function keepRows(): () => void {
  const leave = () =>
    keep(
      KEY,
      JSON.stringify([
        location.pathname,
        rows().map(numberOf),
        Boolean(document.querySelector(':focus-visible')),
      ]),
    );
  addEventListener('pagehide', leave);
  return () => removeEventListener('pagehide', leave);
}

/** The entry that the change before this page has added or changed, or the neighbor of one that it has removed. */
export function findChanged(): { row: HTMLElement | undefined; gone: boolean; keyed: boolean } {
  const [path, before, keyed = false] = JSON.parse(take(KEY) || '[]') as [string?, number[]?, boolean?];
  if (path !== location.pathname || !before) return { row: undefined, gone: false, keyed };
  const list = rows();
  const { at, gone } = changedRow(before, list.map(numberOf));
  return { row: list[at], gone, keyed };
}
