// Finds which common texts a screen can say: the texts that its modules name.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {import('../src/api/schema.gen').Boot['screen']} ScreenName */

const src = new URL('../src', import.meta.url).pathname;

const files = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test|\.gen)\.tsx?$/.test(file))
    .map((file) => [file.replace(/\.tsx?$/, ''), readFileSync(path.join(src, file), 'utf8')]),
);

/** @param {string} text */
const keysIn = (text) => [...text.matchAll(/'(common\.[\w.]+)'/g)].map(([, key]) => key ?? '');

/** The keys that some module names. The others are put together from parts. */
const named = new Set([...files.values()].flatMap(keysIn));

/** @type {Map<string, Set<string>>} */
const spoken = new Map();

/** Modules that are rendered at build time only, so that no script says their texts. */
const silent = new Set(['screens/page-footer']);

/** The keys that a screen and all modules below it name. @param {string} screen */
function keysOf(screen) {
  const known = spoken.get(screen);
  if (known) return known;
  /** @type {Set<string>} */
  const keys = new Set();
  const modules = new Set([`screens/${screen}/${screen}`]);
  for (const module of modules) {
    if (silent.has(module)) continue;
    const text = files.get(module) ?? '';
    for (const key of keysIn(text)) keys.add(key);
    for (const [, to = ''] of text.matchAll(/(?:from |import\()'(\.[^']+)'/g))
      modules.add(path.join(path.dirname(module), to));
  }
  spoken.set(screen, keys);
  return keys;
}

/** Whether a screen can say a common text. A text that no module names may be any screen's. @param {string} key @param {ScreenName} screen */
export const says = (key, screen) => !named.has(key) || keysOf(screen).has(key);
