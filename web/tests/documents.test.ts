import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { STATES, statesIn } from '../fixtures/states.mjs';
import { CODES } from '../src/form/check-fields';
import { pathOf } from '../tools/gallery.mjs';

const at = (path: string) => new URL(`../${path}`, import.meta.url);
const read = (path: string) => readFileSync(at(path), 'utf8');

const prerender: typeof import('../src/entry/prerender') = await import(
  at('.build/server/prerender.js').href
);
const { locales, render, screenNames } = prerender;
const manifest = JSON.parse(read('dist/documents/manifest.json')) as {
  style_hashes: Record<string, string>;
  assets: string[];
};

/** The page on the way to a provider has no script to fill. */
const scripted = (screen: string) => screen !== 'leaving';

const documentOf = async (screen: string, state: string, locale: string) =>
  (await fetch(inject('origin') + pathOf(screen, state, locale))).text();

/** A document as the build made it, with its style and marks in place of its texts. */
const templateOf = (screen: string) =>
  read(`dist/documents/${screen}.html`).replace('{{.style}}', () => read(`dist/styles/${screen}.css`));

const cases = locales.flatMap((locale) =>
  statesIn(locale).map(([screen, state, boot]) => [locale, screen, state, boot] as const),
);

test.each(cases)('%s %s, %s: the server sends what React renders', async (locale, screen, state, data) => {
  const { title, body } = render(screen, locale, data);
  const sent = await documentOf(screen, state, locale);
  const html = sent.replaceAll('&#34;', '&quot;').replaceAll('&#39;', '&#x27;'); // as React writes them

  expect(/<div id="root">(.*)<\/div>(?:<script type="application\/json"|<\/body>)/s.exec(html)?.[1]).toBe(
    body,
  );
  expect(/<title>(.*)<\/title>/.exec(html)?.[1]).toBe(title);
  if (scripted(screen)) expect(JSON.parse(/id="boot">(.*)<\/script>/s.exec(html)?.[1] ?? '')).toEqual(data);
  expect(body).not.toContain('novalidate'); // without script the browser checks the fields
  expect(body).not.toMatch(/[\uE000\uE001]|>(common|error|[a-z-]+)\.[a-z_.]+</); // no slot and no message key is left
});

/** Pages whose forms an alarm leaves open, because they change no way in, or only replace a password. */
const OPEN = /^account$|^account-(profile|sessions|browsers|apps|history)$/;
const closing = STATES.filter(
  ([screen, , boot]) =>
    screen.startsWith('account') &&
    !OPEN.test(screen) &&
    !/^(app|codes)$/.test(boot.factors.state) && // an alarm has ended the steps
    !boot.tokens.made && // only the answer to a form shows it
    !/^(only|removable)$/.test(boot.account.password),
);

test.each(closing)('%s, %s: has no form while an alarm closes the account', (screen, _, boot) => {
  const data = { ...boot, locale: 'en', again: 'closed' as const };
  const main = /<main.*<\/main>/s.exec(render(screen, 'en', data).body)?.[0] ?? '';
  expect(main).toContain('<h1');
  expect(main).not.toMatch(/<form|<button|<input|<summary/);
});

const own = STATES.filter(([screen]) => screen.startsWith('account'));

test.each(own)('%s, %s: says why a step was refused', (screen, _, boot) => {
  const errors = { ...boot.errors, form: 'Refused' };
  for (const again of ['', 'closed'] as const)
    expect(render(screen, 'en', { ...boot, again, errors }).body).toMatch(/role="alert".{0,99}<p>Refused</);
});

test.each(locales)('%s: the way to a provider needs no script', async (locale) => {
  const html = await documentOf('leaving', 'idle', locale);
  expect(html).toContain('<meta http-equiv="refresh" content="0;url=#">'); // the state stays where it is
  expect(html).not.toContain('<script');
  expect(html).not.toContain('modulepreload');
  expect(html.length).toBeLessThan(16 * 1024);
});

test('no screen is without a state', () => {
  expect(new Set(STATES.map(([screen]) => screen))).toEqual(new Set(screenNames));
});

test.each(screenNames)(
  '%s keeps the policy: one style by its hash, no inline style, handler or script',
  (screen) => {
    const html = templateOf(screen);
    const styles = [...html.matchAll(/<style[^>]*>(.*?)<\/style>/gs)].map(([, style]) => style ?? '');
    expect(styles.map((style) => `sha256-${createHash('sha256').update(style).digest('base64')}`)).toEqual([
      manifest.style_hashes[screen],
    ]);
    expect(html).not.toMatch(/ (style|on[a-z]+)="/);
    expect(
      [...html.matchAll(/<script(?! type="application\/json")([^>]*)>(.*?)<\/script>/gs)].map(
        ([, , code]) => code,
      ),
    ).toEqual(scripted(screen) ? [''] : []);
    for (const [, file] of html.matchAll(/(?:src|href)="\/auth\/(assets\/[^"]+)"/g))
      expect(manifest.assets).toContain(file);
  },
);

test.each(screenNames)('%s: every variable of its style has a value', (screen) => {
  const style =
    templateOf(screen)
      .match(/<style[^>]*>.*?<\/style>/gs)
      ?.join('') ?? '';
  const set = new Set([...style.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
  const read = [...style.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
  expect(read.filter((name) => !set.has(name))).toEqual([]);
});

/** What lets the browser find a flaw in a field. */
const FLAWS = {
  valueMissing: ' required',
  typeMismatch: ' type="email"',
  tooShort: ' minlength="',
  patternMismatch: ' pattern="',
};
/** Faults that the script finds beside those of the browser. */
const NEXT: Record<string, string> = {
  'address.invalid': 'address.letters',
  'password.not_repeated': 'password.mismatch',
};

/** The faults that check-fields.ts finds in a field of a template. */
function faultsIn(field: string): string[] {
  const codes = CODES[/ name="(\w+)"/.exec(field)?.[1] as keyof typeof CODES] ?? {};
  return Object.entries(FLAWS)
    .filter(([, attribute]) => field.includes(attribute))
    .map(
      ([flaw]) =>
        (flaw === 'valueMissing' && / data-missing="([^"]+)/.exec(field)?.[1]) ||
        codes[flaw as keyof typeof FLAWS],
    )
    .flatMap((code) => (code ? [code, NEXT[code] ?? []].flat() : []))
    .concat(field.includes('{0{{') ? 'factor.format' : []); // codes of other lengths
}

const words = JSON.parse(read('dist/documents/keys.json')) as Record<string, string[]>;
const checked = Object.keys(words).filter((screen) => screen !== 'device'); // the browser checks its form

test.each(checked)('%s has words for each fault that its script finds in a field', (screen) => {
  const fields = templateOf(screen).match(/<input[^>]*>/g) ?? [];
  expect(fields.flatMap(faultsIn).filter((code) => !words[screen]?.includes(`error.${code}`))).toEqual([]);
});

test('every asset is there plain and compressed, with the same content', () => {
  for (const asset of manifest.assets) {
    const plain = readFileSync(at(`dist/${asset}`));
    expect(brotliDecompressSync(readFileSync(at(`dist/${asset}.br`))).equals(plain)).toBe(true);
    expect(gunzipSync(readFileSync(at(`dist/${asset}.gz`))).equals(plain)).toBe(true);
  }
  expect(readdirSync(at('dist/assets'))).toHaveLength(manifest.assets.length * 3);
  expect(existsSync(at('dist/.gitignore'))).toBe(true);
});

/** The scripts that a browser loads before the first paint of a page. */
const scriptsOf = (document: string) =>
  [...document.matchAll(/"\/auth\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file ?? '');

test('only the words of the visitor are shipped', async () => {
  const document = await documentOf('signin', 'idle', 'en');
  const scripts = scriptsOf(document).map((file) => read(`dist/${file}`));
  expect(document).toContain('Forgot your password?');
  expect(document + scripts.join()).not.toMatch(/Passwort|Choose a new password/);
});

test('the sign-in page loads no code of the account', () => {
  const calls = (screen: 'signin' | 'account-password') =>
    scriptsOf(templateOf(screen)).filter((file) => read(`dist/${file}`).includes('/auth/api/account'));
  expect(calls('account-password')).not.toEqual([]);
  expect(calls('signin')).toEqual([]);
});

test('no document loads the offer of a passkey, which comes after the first paint', () => {
  expect(manifest.assets.filter((asset) => /\/offer-[^/]+\.js$/.test(asset))).toHaveLength(1);
  for (const screen of screenNames) expect(templateOf(screen)).not.toContain('/offer-');
});
