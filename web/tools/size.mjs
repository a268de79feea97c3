// Measures the files that a visit loads, in KiB after brotli 11, and fails above the limits.
//   node tools/size.mjs          the documents above a limit
//   node tools/size.mjs --all    every document
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { STATES } from '../fixtures/states.mjs';
import { build, pathOf, start } from './gallery.mjs';
import { locales } from './messages.mjs';

const LIMITS = {
  signin: 8 * 1024,
  document: 9 * 1024,
  scripts: 66 * 1024,
  reauthenticate: 2048,
  admin: 120 * 1024,
};
/**
 * A page of the account has all sections at its side, and with its headers fits into the first ten packets of a connection.
 * Any page but the sign-in page may have these scripts.
 */
const OWN = { document: 11 * 1024, scripts: LIMITS.scripts + 12 * 1024 };

const dist = new URL('../dist/', import.meta.url);
const kib = (/** @type {number} */ bytes) => (bytes / 1024).toFixed(2).padStart(5);

/** Scripts that a screen loads after it was painted, by the beginning of their names. @type {Record<string, string>} */
const LATER = { signin: 'assets/offer-' };

/** States that are weighed in place of the first one, because they are larger: nine providers. @type {Record<string, string>} */
const FULL = { signin: 'all-providers' };

/**
 * The document with other hashes in the names of its files. Some of eight letters take 30 bytes more than others, so a
 * change of any script would change the size. @param {string} html
 */
const named = (html) =>
  html.replace(
    /(assets\/[a-z-]+-)[\w-]{8}\b/g,
    (_, name) => name + createHash('sha256').update(name).digest('base64url').slice(0, 8),
  );

/** @param {string} locale @param {string} screen @param {string} first */
async function weigh(locale, screen, first) {
  const sent = await fetch(server.origin + pathOf(screen, FULL[screen] ?? first, locale));
  const template = await sent.text();
  const document = brotliCompressSync(named(template)).length;
  const files = new Set(
    Array.from(template.matchAll(/"\/auth\/(assets\/[^"]+\.js)"/g), ([, file]) => file ?? ''),
  );
  const later = LATER[screen];
  if (later) files.add(assets.find((file) => file.startsWith(later) && file.endsWith('.js')) ?? 'none');
  const scripts = [...files].reduce((sum, file) => sum + statSync(new URL(`${file}.br`, dist)).size, 0);
  return { document, scripts, requests: files.size };
}

/** @param {string} screen */
function limitsOf(screen) {
  if (screen === 'signin') return { document: LIMITS.signin, scripts: LIMITS.scripts };
  return screen.startsWith('account') ? OWN : { document: LIMITS.document, scripts: OWN.scripts };
}

build(); // the screens of now
const server = await start();

const assets = readdirSync(new URL('assets/', dist)).map((file) => `assets/${file}`);

const all = process.argv.includes('--all');
const heavy = [];
const heaviest = { document: 0, scripts: 0 };
let count = 0;
try {
  for (const locale of locales) {
    for (const [screen, state] of STATES.filter(([name], i) => name !== STATES[i - 1]?.[0])) {
      const { document, scripts, requests } = await weigh(locale, screen, state);
      const row = `${locale} ${screen.padEnd(19)} ${kib(document)}   ${kib(scripts)}  ${requests}`;
      count += 1;
      if (all) console.log(row);
      const limits = limitsOf(screen);
      const over = Math.max(document - limits.document, scripts - limits.scripts);
      if (over > 0) heavy.push(`${row}   ${over} bytes too many in the state ${FULL[screen] ?? state}`);
      if (screen === 'signin') heaviest.scripts = Math.max(heaviest.scripts, scripts);
      heaviest.document = Math.max(heaviest.document, document);
    }
  }
} finally {
  server.close();
}
const plain = statSync(new URL('assets/reauthenticate.js', dist)).size;
if (plain > LIMITS.reauthenticate)
  heavy.push(`reauthenticate.js: ${plain} bytes without compression, at most ${LIMITS.reauthenticate}`);

const adminScripts = readdirSync(new URL('assets/', dist)).filter((file) => /^admin-.*\.br$/.test(file));
const admin = [
  ...adminScripts.map((file) => statSync(new URL(`assets/${file}`, dist)).size),
  ...['documents/admin.html', 'styles/admin.css'].map(
    (file) => brotliCompressSync(readFileSync(new URL(file, dist))).length,
  ),
].reduce((sum, size) => sum + size, 0);
if (admin > LIMITS.admin)
  heavy.push(`administration with all its places: ${kib(admin)}, at most ${kib(LIMITS.admin)}`);

if (heavy.length) {
  console.error('Too large, in KiB after brotli:  document  scripts  requests');
  for (const row of heavy) console.error(row);
  console.error(
    `At most ${kib(LIMITS.signin)} for signin, ${kib(LIMITS.scripts)} for its scripts, ${kib(LIMITS.document)} for another document, ${kib(OWN.document)} for a page of the account, ${kib(OWN.scripts)} for the scripts of both.`,
  );
  console.error(
    'Make the texts or the markup shorter, or load a script later. A higher limit needs a reason in the commit.',
  );
  process.exitCode = 1;
} else
  console.log(
    `${count} documents have at most ${kib(heaviest.document)} KiB, the scripts of signin ${kib(heaviest.scripts)} KiB, administration ${kib(admin)} KiB`,
  );
