import { type RefObject, useEffect, useRef } from 'react';
import { NO_TROUBLE, type Trouble } from './failure';

/** What people fill in. */
const FIELDS = 'input:not([type=hidden], [readonly])';

/** Our words instead of the browser's bubbles; without script the bubbles stay. */
export function useOwnValidation(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    if (form.current) form.current.noValidate = true;
  }, [form]);
}

/**
 * Leads to what is wrong: the first field at fault, else the summary. A field
 * that the refusal has emptied takes the focus while the alert is announced; on
 * a page that arrives with its errors nothing is announced, so the summary has
 * the focus there.
 */
export function useFocusOnTrouble(
  trouble: Trouble,
  form: RefObject<HTMLFormElement | null>,
  summary: RefObject<HTMLDivElement | null>,
): void {
  const first = useRef(trouble);
  useEffect(() => {
    if (trouble === NO_TROUBLE) return;
    const fields = Array.from(form.current?.querySelectorAll<HTMLInputElement>(FIELDS) ?? []);
    const empty = trouble !== first.current && fields.find((field) => field.required && !field.value);
    const field = fields.find((field) => field.ariaInvalid === 'true') ?? empty;
    if (field) {
      field.focus({ preventScroll: true });
      field.select();
    } else if (trouble.form) {
      summary.current?.focus({ preventScroll: true });
    }
    // After the card has found its place: the words come into sight, and what has the focus above all.
    queueMicrotask(() => {
      if (trouble.form) summary.current?.scrollIntoView({ block: 'nearest' });
      if (field) field.scrollIntoView({ block: 'nearest' });
    });
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
    const fields = form.current?.querySelectorAll<HTMLInputElement>(FIELDS);
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
