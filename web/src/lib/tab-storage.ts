/** Keeps a text in the storage of this tab for a later page, which takes it. Without storage there is none to take. */
export function keep(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {}
}

export function kept(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

export function take(key: string): string {
  const text = kept(key);
  if (text) sessionStorage.removeItem(key);
  return text;
}
