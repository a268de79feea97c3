/** How hard a password looks to guess. The browser only estimates it; the server decides. */
export type Strength = 'weak' | 'fair' | 'good' | 'strong';

const RUNS = ['abcdefghijklmnopqrstuvwxyz', '0123456789', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Words that attackers try first. */
const STEMS = /p[a@]ss?w[o0]r[dt]|qwert[yz]|123456|letmein|admin|welcome|willkommen/g;

/** The least number of different characters, in the whole password and beside a common word. */
const FEW = 5;

/**
 * A light estimate for the hint under the field. A character that repeats or continues
 * its predecessor ("aaa", "1234", "qwer") counts little.
 */
export function strengthOf(password: string): Strength {
  const characters = Array.from(password.toLowerCase());
  const distinct = new Set(characters).size;
  if (distinct < FEW || characters.join('').replace(STEMS, '').length <= FEW) return 'weak';
  let bits = 0;
  characters.forEach((character, i) => {
    bits += follows(characters[i - 1], character) ? 0.5 : 3.2;
  });
  bits *= 0.6 + 0.4 * Math.min(1, distinct / 8);
  if (kinds(password) > 1) bits += 4;
  if (bits < 24) return 'weak';
  if (bits < 34) return 'fair';
  return bits < 48 ? 'good' : 'strong';
}

function follows(before: string | undefined, character: string): boolean {
  if (before === undefined) return false;
  if (before === character) return true;
  return RUNS.some(
    (run) =>
      Math.abs(run.indexOf(before) - run.indexOf(character)) === 1 &&
      run.includes(before) &&
      run.includes(character),
  );
}

const kinds = (text: string) =>
  [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{L}\p{Nd}]/u].filter((kind) => kind.test(text)).length;

/** The number of characters as the policy counts them: code points in NFC. */
export const lengthOf = (password: string) => Array.from(password.normalize('NFC')).length;

/** Whether the password contains the local part of the address. A short local part counts only with its @. */
export function containsAddress(password: string, address: string): boolean {
  const [local = ''] = address.toLowerCase().split('@');
  return local !== '' && password.toLowerCase().includes(local.length < 3 ? `${local}@` : local);
}
