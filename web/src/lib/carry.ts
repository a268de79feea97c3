import { keep, kept } from './storage';

const KEY = 'portico.email';

/**
 * The address goes with the person from one screen to the next (WCAG 3.3.7)
 * in this tab's storage: an address has no place in a URL.
 */
export function carryEmail(email: string): void {
  if (email) keep('sessionStorage', KEY, email);
}

export const carriedEmail = () => kept('sessionStorage', KEY);
