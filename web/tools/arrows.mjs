// Checks the imports of the front end: entry, admin -> screens -> form, passkey, ui -> api, i18n -> lib.
//   node tools/arrows.mjs
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const src = new URL('../src', import.meta.url).pathname;

/** The folders from which a folder may import, beside itself. @type {Record<string, string[]>} */
const MAY = {
  admin: ['screens', 'form', 'ui', 'api', 'lib'],
  entry: ['screens', 'api', 'i18n', 'lib'],
  screens: ['form', 'passkey', 'ui', 'api', 'i18n', 'lib'],
  form: ['api', 'i18n', 'lib'],
  passkey: ['api', 'lib'],
  ui: ['lib'],
  api: ['lib'],
  i18n: ['lib'],
  lib: [],
};

/** The folder of what the account pages share, outside the scripts of the other pages. Its words begin with `section`. */
const OWN = 'own';
/** @param {string | undefined} screen */
const ofAccount = (screen) => [OWN, 'new-passkey'].includes(screen ?? '') || screen?.startsWith('account');

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\./.test(file),
);

/** @param {string} file */
function faultsOf(file) {
  const text = readFileSync(path.join(src, file), 'utf8');
  const [room = '', folder] = file.split('/');
  const screen = room === 'screens' && file.split('/').length > 2 ? folder : undefined;
  const faults = [];
  for (const [, target] of text.matchAll(/from '(\.[^']+)'/g)) {
    const [to = '', toFolder, rest] = path
      .relative(src, path.resolve(src, path.dirname(file), target ?? ''))
      .split('/');
    if (to !== room && !MAY[room]?.includes(to)) faults.push(`${room} must not import ${to}`);
    if (
      room === 'screens' &&
      to === 'screens' &&
      rest &&
      toFolder !== screen &&
      !(toFolder === OWN && ofAccount(screen))
    )
      faults.push(`imports the screen ${toFolder}`);
  }
  // The build gives a screen its own messages and the common messages, no others.
  for (const [, key] of screen ? text.matchAll(/\bt\(['`]([\w-]+)\./g) : []) {
    const known = key === screen || key === 'common' || (key === 'section' && ofAccount(screen));
    if (!known) faults.push(`says words of ${key}`);
  }
  for (const [, key] of (room === 'screens' || room === 'form') && !screen
    ? text.matchAll(/\bt\(['`]([\w-]+)\./g)
    : []) {
    if (key !== 'common') faults.push(`is shared and says words of ${key}`);
  }
  if (!file.includes('.gen.') && text.split('\n').length > 250) faults.push('is longer than 250 lines');
  return faults.map((fault) => `src/${file} ${fault}`);
}

const faults = files.flatMap(faultsOf);
for (const fault of faults) console.error(fault);
console.log(`arrows: ${files.length} files, ${faults.length} faults`);
process.exitCode = faults.length ? 1 : 0;
