import { useEffect } from 'react';
import { keep, take } from '../lib/tab-storage';

const KEY = 'portico.email';

/**
 * What leaves the screen: a link, a provider, whose sign-in may fail, or another language. The click on
 * a button comes before its form is sent.
 */
const WAYS = 'a[href^="/auth/"], button[formaction], .language-menu button';

/**
 * Fills in the address that was typed on the screen before, and carries it to the next one (WCAG 3.3.7), by
 * the storage of the tab, because it must not be in a URL. Without an address it writes nothing: an empty text
 * would remove the text that a password manager has filled in.
 */
export function useCarriedEmail(): void {
  useEffect(() => {
    const field = document.querySelector<HTMLInputElement>('input[name="email"]');
    if (!field) return;
    const carried = take(KEY);
    if (carried && !field.value) field.value = carried;
    const leave = ({ target }: MouseEvent) => {
      const email = field.value.trim();
      if (email && target instanceof Element && target.closest(WAYS)) keep(KEY, email);
    };
    document.addEventListener('click', leave);
    return () => document.removeEventListener('click', leave);
  }, []);
}
