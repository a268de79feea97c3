import { keep, take } from './storage';

const KEY = 'portico.email';

/**
 * The address goes with the person from one screen to the next (WCAG 3.3.7) in
 * this tab's storage, because it has no place in a URL. It stays there no
 * longer than that way takes: whoever reads it takes it out.
 */
export function carryEmail(email: string): void {
  if (email) keep('sessionStorage', KEY, email);
}

export const takeCarriedEmail = () => take('sessionStorage', KEY);
