const KEY = 'portico.email';

/**
 * Carries the typed address to the next screen (WCAG 3.3.7). It is kept in this tab's
 * storage, because it must not be in a URL, and the next screen removes it. Without
 * storage the user types the address again.
 */
export function carryEmail(email: string): void {
  try {
    if (email) sessionStorage.setItem(KEY, email);
  } catch {}
}

export function takeCarriedEmail(): string {
  try {
    const email = sessionStorage.getItem(KEY) ?? '';
    sessionStorage.removeItem(KEY);
    return email;
  } catch {
    return '';
  }
}
