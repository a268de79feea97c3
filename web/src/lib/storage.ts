/** What outlives a page: the tab's storage or the browser's. */
type Area = 'sessionStorage' | 'localStorage';

/** Keeps a value for later; storage that is switched off or full only costs comfort. */
export function keep(area: Area, key: string, value: string): void {
  try {
    window[area].setItem(key, value);
  } catch {}
}

/** The value that was kept, or "". */
export function kept(area: Area, key: string): string {
  try {
    return window[area].getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** The value that was kept, or "", which is not kept any longer. */
export function take(area: Area, key: string): string {
  const value = kept(area, key);
  try {
    window[area].removeItem(key);
  } catch {}
  return value;
}
