import type { Text } from '../i18n/text';
import type { FieldName } from './failure';

/** The fault code of each field, by the flag of the browser's constraint check. A field with `data-missing` has its own. */
export const CODES: Record<FieldName, Partial<Record<keyof ValidityState, string>>> = {
  name: { valueMissing: 'name.required' },
  email: { valueMissing: 'address.required', typeMismatch: 'address.invalid' },
  password: { valueMissing: 'password.required', tooShort: 'password.too_short' },
  confirm_password: { valueMissing: 'password.not_repeated' },
  code: { valueMissing: 'code.required', patternMismatch: 'code.format' },
  terms: { valueMissing: 'terms.required' },
};

/** An address with a letter before the "@" that is not ASCII, or with an accent. */
const LETTERS = /^[^\s<@]*(?![a-zA-Z])[\p{L}\p{M}][^\s<@]*@/u;

/**
 * Runs the browser's constraint check and answers in our words, so that an obvious
 * mistake needs no request. The server checks everything again.
 */
export function checkFields(
  form: HTMLFormElement,
  text: Text,
  without: readonly string[],
): Partial<Record<FieldName, string>> {
  const faults: Partial<Record<FieldName, string>> = {};
  for (const [name, codes] of Object.entries(CODES) as [FieldName, (typeof CODES)[FieldName]][]) {
    const field = form.elements.namedItem(name);
    if (!(field instanceof HTMLInputElement) || without.includes(name)) continue;
    // A pasted address may have invisible characters at its ends, which the server removes too.
    if (name === 'email') field.value = field.value.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '');
    let code = Object.entries(codes).find(([flaw]) => field.validity[flaw as keyof ValidityState])?.[1];
    if (code === 'address.invalid' && LETTERS.test(field.value)) code = 'address.letters';
    if (field.validity.valueMissing) code = field.dataset['missing'] ?? code;
    // The authenticator apps of this account show codes of other lengths.
    if (code === 'code.format' && !field.pattern.includes('{06,06}')) code = 'factor.format';
    if (code) faults[name] = text.fault(code, { count: field.minLength }) ?? code;
  }
  const confirm = form.elements.namedItem('confirm_password');
  const password = form.elements.namedItem('password');
  if (without.includes('password')) return faults;
  if (!(confirm instanceof HTMLInputElement && password instanceof HTMLInputElement)) return faults;
  if (confirm.value && !faults.password && confirm.value !== password.value) {
    faults.confirm_password = text.fault('password.mismatch') ?? '';
  }
  return faults;
}
