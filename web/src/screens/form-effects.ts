import { type RefObject, useEffect } from 'react';
import { NO_TROUBLE, type Trouble } from './failure';

/** Our words instead of the browser's bubbles; without script the bubbles stay. */
export function useOwnValidation(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    if (form.current) form.current.noValidate = true;
  }, [form]);
}

/** Leads to what is wrong: the first field at fault, else the summary. */
export function useFocusOnTrouble(
  trouble: Trouble,
  form: RefObject<HTMLFormElement | null>,
  summary: RefObject<HTMLDivElement | null>,
): void {
  useEffect(() => {
    if (trouble === NO_TROUBLE) return;
    const field = form.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]');
    if (field) {
      field.focus();
      field.select();
    } else if (trouble.form) {
      summary.current?.focus();
    }
  }, [trouble, form, summary]);
}

/** Where a field that takes the focus by itself covers nothing: no keyboard comes up, and the whole form is in sight. */
const ROOMY = '(min-width: 48rem) and (pointer: fine)';

/**
 * Puts the caret into the first empty field of a page that nobody has touched
 * yet, unless something stands before the form to be read first. What has the
 * focus already, a summary of errors above all, keeps it.
 */
export function useFirstField(form: RefObject<HTMLFormElement | null>, readFirst: string): void {
  useEffect(() => {
    if (readFirst || document.activeElement !== document.body || navigator.userActivation?.hasBeenActive)
      return;
    if (!matchMedia(ROOMY).matches) return;
    const fields = form.current?.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [readonly])');
    Array.from(fields ?? [])
      .find((field) => field.value === '')
      ?.focus();
  }, [form, readFirst]);
}

/** Runs when Back brings this page as it was left, with its button still busy. */
export function useRestoredPage(onRestored: () => void): void {
  useEffect(() => {
    const restored = (event: PageTransitionEvent) => event.persisted && onRestored();
    addEventListener('pageshow', restored);
    return () => removeEventListener('pageshow', restored);
  }, [onRestored]);
}
