const KEY = 'portico.email';

/**
 * The address goes with the person from one screen to the next (WCAG 3.3.7)
 * in this tab's storage: an address has no place in a URL. Storage that is
 * switched off only means typing it again.
 */
export function carryEmail(email: string): void {
  try {
    if (email) sessionStorage.setItem(KEY, email);
  } catch {}
}

export function carriedEmail(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}
