import { type RefObject, useEffect, useRef } from 'react';
import { NO_TROUBLE, type Trouble } from './failure';

/** The fields that a user fills in. */
const FIELDS = 'input:not([type=hidden], [readonly])';

/**
 * Moves the focus to the first field with an error, else to the summary. A field
 * that the refusal has emptied takes the focus while the alert is announced. On a
 * page that arrives with its errors no alert is announced, so the summary takes it.
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
    const emptied = trouble !== first.current && trouble.code === 'signin.rejected';
    const field = fields.find(
      ({ ariaInvalid, required, value }) => ariaInvalid === 'true' || (emptied && required && !value),
    );
    if (field) {
      field.focus({ preventScroll: true });
      field.select();
    } else if (trouble.form) {
      summary.current?.focus({ preventScroll: true });
    }
    bringIntoSight(trouble.form ? summary.current : null, field); // the field with the focus last
  }, [trouble, form, summary]);
}

/** Scrolls to each of them once the card has found its place. */
export function bringIntoSight(...shown: (Element | null | undefined)[]): void {
  queueMicrotask(() => {
    for (const element of shown) element?.scrollIntoView({ block: 'nearest' });
    dispatchEvent(new Event('scroll')); // for keepSteady: the browser's own comes after the next change
  });
}

/** Screens on which focus covers nothing: no keyboard comes up, and the whole form is in sight. */
const ROOMY = '(min-width: 48rem) and (pointer: fine)';

/**
 * Puts the caret into the first empty field of a page that the user has not touched
 * yet, unless `readFirst` stands before the form. An element that already has the
 * focus keeps it, such as a summary of errors.
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
