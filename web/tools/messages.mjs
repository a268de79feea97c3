// Writes the types of the message keys, and checks that all locales agree.
//   node tools/messages.mjs           writes src/i18n/messages.gen.ts
//   node tools/messages.mjs --check   fails when it is stale, or a locale lacks a placeholder or a plural form,
//                                   or has a text in English that is not listed below. It lists the texts that a
//                                   locale lacks: English stands in their place, and tools/release fails
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { says } from './spoken.mjs';

/** @typedef {Record<string, string | Record<string, string>>} Messages */
/** @typedef {import('../src/api/schema.gen').Boot['screen']} ScreenName */

const folder = new URL('../src/i18n/messages/', import.meta.url);
const generated = new URL('../src/i18n/messages.gen.ts', import.meta.url);

/** Texts that are the same as in English, and correct so. @type {Record<string, string[]>} */
const SAME = {
  de: [
    'account-passkeys.title',
    'account-passkeys.unnamed',
    'account-profile.name',
    'account-tokens.app',
    'account-tokens.name',
    'account.section.passkeys',
    'common.month.04',
    'common.month.08',
    'common.month.09',
    'common.month.11',
    'mail.common.app',
    'mail.common.browser',
    'signup.name.required',
  ],
  es: ['common.error'],
};

/**
 * Keys that no browser needs: emails with their dates, and words that the server writes into the boot data.
 */
const serverOnly = /^(mail|failure|success|history|state)\.|^common\.(moment$|day$|month\.)|^\w+\.notice\./;

/** Keys of the rail and the overview, which no script renders. */
const buildOnly = /^account\.(about|attention|group|section)\b|^section\.(pages|back|skip)/;

/**
 * Faults that only these screens can meet, by the beginning of their code. Any
 * other fault goes to every screen. An empty list means that only the server
 * words the fault.
 * @type {Record<string, ScreenName[]>}
 */
const ONLY_ON = {
  'account.changed': [
    'account-password',
    'account-addresses',
    'account-profile',
    'account-passkeys',
    'account-factors',
    'account-delete',
    'account-tokens',
    'new-passkey',
  ],
  'account.exists': [],
  'account.last_way': ['account-password', 'account-passkeys'],
  'account.missing': [],
  'address.same': ['account-addresses'],
  'address.full': ['account-addresses'],
  'address.missing': [],
  'address.taken': ['verify-code', 'confirm-link'],
  'address.': ['signin', 'signup', 'forgot-password', 'signin-code', 'account-addresses'],
  'admin.': [],
  'alarm.raised': [
    'account-addresses',
    'account-delete',
    'account-password',
    'account-passkeys',
    'account-factors',
    'account-tokens',
    'new-passkey',
    'verify-code',
    'confirm-link',
  ],
  'alarm.': ['not-me'],
  'app.': [],
  'approval.': [],
  'invitation.': [],
  'webhook.': [],
  'claims.': [],
  'account.waits': [], // a page says so
  'passkey.name_required': ['account-passkeys'],
  'passkey.exists': ['account-passkeys', 'new-passkey', 'protect'],
  'passkey.full': ['account-passkeys', 'new-passkey', 'protect'],
  'passkey.missing': ['account-passkeys'],
  'passkey.other': ['mfa'],
  'passkey.': ['signin', 'signup', 'account-passkeys', 'new-passkey', 'mfa', 'protect'],
  'password.required': ['signin', 'signup', 'confirm-link', 'reset-password', 'account-password'],
  'password.': ['signup', 'reset-password', 'account-password'],
  'code.format': ['verify-code', 'mfa', 'account-factors', 'protect'],
  'code.required': ['verify-code', 'mfa', 'account-factors', 'protect'],
  'code.early': ['verify-code', 'confirm-link'],
  'code.': ['verify-code'],
  'factor.format': ['mfa'],
  'factor.moved_format': ['mfa'],
  'factor.': ['mfa', 'account-factors', 'protect'],
  'link.': ['confirm-link'],
  'field.': [],
  'flow.': [
    'verify-code',
    'confirm-link',
    'reset-password',
    'mfa',
    'terms',
    'protect',
    'keep',
    'not-me',
    'new-passkey',
    'account-factors',
    'account-passkeys',
    'account-addresses',
  ],
  'gateway.': [],
  'idempotency.': [],
  'import.': [],
  'job.': [],
  'key.': [],
  'keys.': [],
  'method.': [],
  'name.required': ['signup', 'account-profile'],
  'name.': ['signup', 'account-profile', 'account-passkeys', 'account-tokens'],
  'openid.': [],
  'outbox.': [],
  'picture.': ['account-profile'],
  'proof.': [], // the page asks for the proof
  'provider.': [],
  'request.host': [],
  'request.length_required': [],
  'request.slow': [], // of an upload, which is a form without script
  'request.target_too_long': [],
  'request.unsupported': [],
  'role.': [],
  'route.': [],
  'query.': [],
  'rule.': [],
  'session.ended': [], // its page loads again, and says why
  'session.missing': [], // the form takes it as done
  'signin.code_off': [],
  'signup.': [
    'signup',
    'verify-code',
    'confirm-link',
    'terms',
    'reset-password',
    'new-passkey',
    'account-addresses',
  ],
  'terms.': ['signup', 'terms'],
  'token.full': ['account-tokens'],
  'token.form': ['account-tokens'],
  'token.no_': ['account-tokens'],
  'token.name': ['account-tokens'],
  'token.': [], // programs are told
};

/** Words that all account pages share. */
const shared = /^section\./;

/** Words of a new second factor, which a user adds in the account or before a session begins. */
const added = /^common\.(app|passkey)_/;

/** @param {string} key @param {ScreenName} screen */
function reaches(key, screen) {
  if (serverOnly.test(key) || buildOnly.test(key)) return false;
  if (added.test(key)) return ['protect', 'account-factors', 'account-passkeys'].includes(screen);
  if (key.startsWith('common.')) return says(key, screen);
  if (shared.test(key)) return screen.startsWith('account') || screen === 'new-passkey';
  if (!key.startsWith('error.')) return key.startsWith(`${screen}.`);
  const code = key.slice('error.'.length);
  const screens = Object.entries(ONLY_ON).find(([start]) => code.startsWith(start))?.[1];
  return screens === undefined || screens.includes(screen);
}

/** The messages of a screen: its own, the common ones, and its faults. @param {ScreenName} screen @param {string} locale @returns {Messages} */
export const messagesOf = (screen, locale) =>
  Object.fromEntries(Object.entries({ ...source, ...read(locale) }).filter(([key]) => reaches(key, screen)));

export const locales = readdirSync(folder).map((file) => file.replace('.json', ''));
/** @param {string} locale @returns {Messages} */
const read = (locale) => JSON.parse(readFileSync(new URL(`${locale}.json`, folder), 'utf8'));
const source = read('en');

const keys = Object.keys(source).filter((key) => !serverOnly.test(key) && !key.startsWith('error.'));
const types = `// Generated by tools/messages.mjs from messages/en.json.\nexport type MessageKey =\n${keys.map((key) => `  | '${key}'`).join('\n')};\n`;

/** The texts of a message: one, or one for each plural form. @param {string | Record<string, string> | undefined} message */
const textsOf = (message) => (typeof message === 'string' ? [message] : Object.values(message ?? {}));

/** A plural form may say its number in words. @param {string} text @param {boolean} plural */
const placeholders = (text, plural) =>
  [...new Set([...(text.match(/\{\w+\}/g) ?? []), ...(plural ? ['{count}'] : [])])].sort().join();

/** @param {string} locale */
function faultsOf(locale) {
  const messages = read(locale);
  const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
  /** @type {string[]} */
  const faults = [];
  for (const [key, message] of Object.entries(messages)) {
    if (!(key in source)) faults.push(`has ${key}, which en lacks`);
    const [english, plural] = [source[key], typeof message !== 'string'];
    if (
      textsOf(message).some(
        (text) => placeholders(text, plural) !== placeholders(textsOf(english).at(-1) ?? '', plural),
      )
    )
      faults.push(`${key}: other placeholders than en`);
    if (key in source && plural !== (typeof english !== 'string'))
      faults.push(`${key}: plural in one locale, plain in the other`);
    const worded = !/^\{\w+\}$/.test(String(english));
    const same = locale !== 'en' && worded && JSON.stringify(message) === JSON.stringify(english);
    if (same !== Boolean(SAME[locale]?.includes(key)))
      faults.push(
        `${key}: ${same ? 'is the English text: translate it, or list it in SAME' : 'is listed in SAME, but differs from English'}`,
      );
    const missing = typeof message === 'string' ? [] : forms.filter((form) => !(form in message));
    if (missing.length) faults.push(`${key}: plural form ${missing.join()} missing`);
    if (JSON.stringify(message).includes('{{'))
      faults.push(`${key}: "{{" would be read as a template action`);
  }
  return faults.map((fault) => `${locale}.json ${fault}`);
}

/** Writes the types of the keys in the catalogue. */
export const writeTypes = () => writeFileSync(generated, types);

/** Keys that only English has. @param {string} locale */
const untranslated = (locale) =>
  Object.keys(source)
    .filter((key) => !(key in read(locale)))
    .map((key) => `${locale}.json has no ${key} yet`);

function check() {
  const faults = locales.flatMap(faultsOf);
  if (readFileSync(generated, 'utf8') !== types) faults.push('messages.gen.ts is stale: npm run messages');
  const missing = locales.flatMap(untranslated);
  for (const line of [...faults, ...missing]) console.error(line);
  console.log(
    `messages: ${keys.length} keys of the screens, ${locales.length} locales, ${faults.length} faults, ${missing.length} texts to translate`,
  );
  process.exitCode = faults.length ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--check')) check();
  else writeTypes();
}
