/** Digits of a verification code (docs/specification.md section 9). */
export const CODE_LENGTH = 6;

/** How many digits a code has. Those of an authenticator app from another system may differ. */
export interface Lengths {
  shortest: number;
  longest: number;
}

const SIX: Lengths = { shortest: CODE_LENGTH, longest: CODE_LENGTH };

const IN_ONE = /(?<!\d)\d+(?!\d)/gu;
const IN_TWO = /(?<!\d)(?=(\d{3,4})[\s\p{Pd}.·](\d{3,4})(?!\d))/gu;

/**
 * The code in a text that was typed, pasted or filled in, such as "Your code is 123 456".
 * Digits of any script count. As many digits in a row as a code has win over other numbers
 * of the text. Otherwise the first digits are the code.
 */
export function codeIn(text: string, lengths = SIX): string {
  const plain = asciiDigits(text.normalize('NFKC'));
  const whole = wholeCode(plain, lengths);
  return whole || plain.replace(/\D/g, '').slice(0, lengths.longest);
}

/** The complete code in a text, or "". */
export function completeCodeIn(text: string, lengths = SIX): string {
  const code = codeIn(text, lengths);
  return fits(code, lengths) ? code : '';
}

const fits = ({ length }: string, { shortest, longest }: Lengths) =>
  length === shortest || length === longest;

function wholeCode(plain: string, lengths: Lengths): string {
  const inTwo = [...plain.matchAll(IN_TWO)].map(([, first, second]) => `${first}${second}`);
  return [...(plain.match(IN_ONE) ?? []), ...inTwo].find((code) => fits(code, lengths)) ?? '';
}

/** Unicode keeps the ten digits of a script in a row: the value of a digit is its distance from the first. */
function asciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const point = digit.codePointAt(0) ?? 0;
    let value = 0;
    while (/\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1;
    return String(value % 10);
  });
}
