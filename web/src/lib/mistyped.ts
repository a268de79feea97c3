/** The most common email domains. */
const COMMON = [
  'gmail.com',
  'googlemail.com',
  'outlook.com',
  'hotmail.com',
  'yahoo.com',
  'icloud.com',
  'proton.me',
  'protonmail.com',
  'gmx.de',
  'gmx.net',
  'web.de',
  't-online.de',
  'freenet.de',
  'outlook.de',
  'hotmail.de',
  'yahoo.de',
];

/**
 * The address that the user probably meant, or "". Its domain is common and one or two typing
 * errors away. The first letter must agree, since errors rarely change it, and mail.com, email.com
 * and cloud.com are all real domains. The countries of one provider are real domains too.
 */
export function intendedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1).toLowerCase();
  if (at < 1 || COMMON.includes(domain)) return '';
  const nearest = COMMON.filter((common) => mayMean(domain, common))
    .map((common) => ({ common, slips: slipsBetween(domain, common) }))
    .filter(({ common, slips }) => slips <= (common.indexOf('.') > 4 ? 2 : 1))
    .sort((a, b) => a.slips - b.slips)[0];
  return nearest ? `${address.slice(0, at)}@${nearest.common}` : '';
}

const COUNTRY = /\.[a-z]{2}$/;

function mayMean(domain: string, common: string): boolean {
  const onlyCountryDiffers =
    COUNTRY.test(domain) && COUNTRY.test(common) && domain.slice(0, -2) === common.slice(0, -2);
  return domain[0] === common[0] && Math.abs(domain.length - common.length) <= 2 && !onlyCountryDiffers;
}

/** The number of added, missing, replaced and swapped letters (optimal string alignment). */
function slipsBetween(typed: string, meant: string): number {
  let older: number[] = [];
  let row = Array.from({ length: meant.length + 1 }, (_, i) => i);
  for (let t = 1; t <= typed.length; t += 1) {
    const next = [t];
    for (let m = 1; m <= meant.length; m += 1) {
      const same = typed[t - 1] === meant[m - 1];
      const swapped = typed[t - 1] === meant[m - 2] && typed[t - 2] === meant[m - 1];
      next[m] = Math.min(
        cost(next, m - 1) + 1,
        cost(row, m) + 1,
        cost(row, m - 1) + (same ? 0 : 1),
        swapped ? cost(older, m - 2) + 1 : Infinity,
      );
    }
    older = row;
    row = next;
  }
  return cost(row, meant.length);
}

const cost = (row: number[], at: number) => row[at] ?? Infinity;
