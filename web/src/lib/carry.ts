const KEY = 'portico.email';

/**
 * The address goes with the person from one screen to the next (WCAG 3.3.7) in
 * this tab's storage, because it has no place in a URL. It stays there no
 * longer than that way takes: whoever reads it takes it out. Storage that is
 * switched off or full only costs comfort.
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
