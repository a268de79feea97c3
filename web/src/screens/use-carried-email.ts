import { useEffect } from 'react';
import { carryEmail, takeCarriedEmail } from '../lib/carry';

/**
 * Fills in the address that was typed on the screen before, and carries it along a link to another
 * screen. Without an address it writes nothing: an empty text would remove the text that a password
 * manager has filled in.
 */
export function useCarriedEmail(): void {
  useEffect(() => {
    const field = document.querySelector<HTMLInputElement>('input[name="email"]');
    if (!field) return;
    const carried = takeCarriedEmail();
    if (carried && !field.value) field.value = carried;
    const leave = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('a[href^="/auth/"]')) carryEmail(field.value.trim());
    };
    document.addEventListener('click', leave);
    return () => document.removeEventListener('click', leave);
  }, []);
}
