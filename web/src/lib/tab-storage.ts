/** Keeps a text in the storage of this tab for a later page, which takes it. Without storage there is none to take. */
export function keep(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {}
}

export function take(key: string): string {
  try {
    const text = sessionStorage.getItem(key) ?? '';
    sessionStorage.removeItem(key);
    return text;
  } catch {
    return '';
  }
}
