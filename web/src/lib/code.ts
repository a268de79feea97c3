/** Digits of a verification code (docs/specification.md section 9). */
export const CODE_LENGTH = 6;

const WHOLE = /(?<!\d)\d{6}(?!\d)/;
const IN_TWO = /(?<!\d)(\d{3})[\s\p{Pd}.·](\d{3})(?!\d)/u;

/**
 * The code in a text that was typed, pasted or filled in, such as "Your code is 123 456".
 * Digits of any script count. Six digits in a row win over other numbers of the text.
 * Otherwise the first six digits are the code.
 */
export function codeIn(text: string): string {
  const plain = asciiDigits(text.normalize('NFKC'));
  const whole = wholeCode(plain);
  return whole || plain.replace(/\D/g, '').slice(0, CODE_LENGTH);
}

/** The complete code in a text, or "". */
export function completeCodeIn(text: string): string {
  const code = codeIn(text);
  return code.length === CODE_LENGTH ? code : '';
}

function wholeCode(plain: string): string {
  const inTwo = IN_TWO.exec(plain);
  return WHOLE.exec(plain)?.[0] ?? (inTwo ? `${inTwo[1]}${inTwo[2]}` : '');
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
