import { useEffect } from 'react';
import { carriedEmail, carryEmail } from '../lib/carry';

/** Fills the address that was typed on another screen, and keeps what is typed here for the next one. */
export function useCarriedEmail(): void {
  useEffect(() => {
    const field = document.querySelector<HTMLInputElement>('input[name="email"]');
    if (!field) return;
    if (!field.value) field.value = carriedEmail();
    const leave = () => carryEmail(field.value.trim());
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, []);
}
