// Builds dist: client bundle, documents rendered by React as Go templates, compressed assets. A document has marks in place
// of its texts. The states of the screens and the page of components are for `portico dev`, which the screen tests open.
//   node tools/build.mjs
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { statesIn } from '../fixtures/states.mjs';
import { componentsPage } from './components.mjs';
import { messagesOf, writeTypes } from './messages.mjs';

const root = new URL('../', import.meta.url);
/** @param {string} path */
const at = (path) => new URL(path, root);

process.env.NODE_ENV = 'production'; // also under a test runner: the documents need the React that is shipped
writeTypes();
const options = { root: root.pathname, logLevel: /** @type {const} */ ('warn') };
await build({ ...options, build: { ssr: true } });

/** @type {typeof import('../src/entry/prerender.tsx')} */
const { locales, screenNames, renderTemplate, renderComponents, MARKED } = await import(
  at('.build/server/prerender.js').href
);

/** Documents without a script, which redirect to the address "next", and the screen whose style they use. @type {{ [screen in import('./messages.mjs').ScreenName]?: import('./messages.mjs').ScreenName }} */
const SCRIPTLESS = { leaving: 'error' };

/** The generated module that the document of this screen loads. Static imports need no loader. @param {string} screen */
const entryOf = (screen) => `.build/entries/${screen}.ts`;

rmSync(at('.build/entries'), { recursive: true, force: true });
mkdirSync(at('.build/entries'), { recursive: true });
const scripted = screenNames.filter((screen) => !(screen in SCRIPTLESS));
for (const screen of scripted) {
  const lines = [
    `import { screen } from '../../src/screens/${screen}/${screen}';`,
    `import { start } from '../../src/entry/client';`,
    'start(screen);',
  ];
  writeFileSync(at(entryOf(screen)), lines.join('\n'));
}
await build({ ...options, build: { rolldownOptions: { input: scripted.map(entryOf) } } });
await build({ ...options, mode: 'admin' });

/** @typedef {Record<string, { file: string, css?: string[], imports?: string[] }>} Chunks */
/** @param {string} folder @returns {Chunks} */
const chunksOf = (folder) => JSON.parse(readFileSync(at(`.build/${folder}/.vite/manifest.json`), 'utf8'));
const chunks = chunksOf('client');

/** The icon of Portico, in the colors of the brand. */
const favicon = `data:image/svg+xml,${encodeURIComponent(readFileSync(at('src/entry/favicon.svg'), 'utf8'))

  .replaceAll('%3D', '=')
  .replaceAll('%2F', '/')
  .replaceAll("'", '%27')
  .replaceAll('%22', "'")
  .replace('%2303b4f6', '%23{{html .theme.from}}')
  .replace('%231a4ab8', '%23{{html .theme.to}}')
  .replace('%23fff', '%23{{html .theme.label}}')}`;

/** Files that a document loads: its entry first, styles in the order of import. @param {Chunks} chunks @param {string} entry */
function filesOf(chunks, entry) {
  /** @type {Set<string>} */
  const scripts = new Set();
  /** @type {Set<string>} */
  const styles = new Set();
  /** @param {string} name */
  const collect = (name) => {
    const chunk = chunks[name];
    if (!chunk) throw new Error(`no chunk ${name}`);
    if (scripts.has(chunk.file)) return;
    scripts.add(chunk.file);
    chunk.imports?.forEach(collect);
    for (const file of chunk.css ?? []) styles.add(file);
  };
  collect(entry);
  return {
    scripts: [...scripts],
    styles: [...styles],
  };
}

/** @param {string} folder @param {string[]} files */
const styleIn = (folder, files) =>
  files.map((file) => readFileSync(at(`.build/${folder}/${file}`), 'utf8').trim()).join('');

/** The beginning of a document. The style of the brand overrides tokens, so it comes last. @param {string} attributes @param {string} title */
const beginning = (attributes, title) =>
  [
    '<!doctype html>',
    `<html${attributes}><head><meta charset="utf-8"><title>${title}</title>`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="robots" content="noindex">',
    `<link rel="icon" href="{{if .theme.icon}}{{html .theme.icon}}{{else}}${favicon}{{end}}">`,
    '<style>{{.style}}</style>{{.theme.head}}',
  ].join('');

/** The tags of a document's scripts, the entry first. @param {string[]} scripts */
function loading(scripts) {
  const [main, ...preloads] = scripts.map((file) => `/auth/${file}`);
  return [
    `<script type="module" fetchpriority="low" src="${main}"></script>`,
    ...preloads.map((file) => `<link rel="modulepreload" fetchpriority="low" href="${file}">`),
  ];
}

/** The texts for the script, and the data that it starts from. */
const DATA =
  '<script type="application/json" id="words">{{.words}}</script><script type="application/json" id="boot">{{.boot}}</script>';

/** A style as the policy allows it. @param {string} style */
const hashOf = (style) => `sha256-${createHash('sha256').update(style).digest('base64')}`;

/** @param {import('./messages.mjs').ScreenName} screen */
function documentOf(screen) {
  const { title, body } = renderTemplate(screen, MARKED);
  const lender = SCRIPTLESS[screen];
  const { scripts, styles } = filesOf(chunks, entryOf(lender ?? screen));
  const html = [
    beginning('', title),
    // The card is centered. Painted in parts it would visibly move as it grows on a slow phone.
    lender ? '' : '<link rel="expect" href="#words" blocking="render">',
    ...(lender ? ['<meta http-equiv="refresh" content="0;url={{html .next}}">'] : loading(scripts)),
    `</head><body><div id="root">${body}</div>`,
    lender ? '' : DATA,
    '</body></html>\n',
  ].join('');
  return { html, style: styleIn('client', styles) };
}

// The binary has everything that is in dist.
for (const name of readdirSync(at('dist')))
  if (name !== '.gitignore') rmSync(at(`dist/${name}`), { recursive: true, force: true });
for (const name of ['documents', 'styles', 'assets']) mkdirSync(at(`dist/${name}`));

/** @type {Record<string, string>} */
const styleHashes = {};
// The documents of the binary, their styles, and the keys of the texts that the scripts need.
/** @type {Record<string, string[]>} */
const keys = {};
for (const screen of screenNames) {
  const { html, style } = documentOf(screen);
  writeFileSync(at(`dist/documents/${screen}.html`), html);
  writeFileSync(at(`dist/styles/${screen}.css`), style);
  styleHashes[screen] = hashOf(style);
  if (!(screen in SCRIPTLESS)) keys[screen] = Object.keys(messagesOf(screen, 'en'));
}
writeFileSync(at('dist/documents/keys.json'), JSON.stringify(keys));

// The page of administration: one document in English for all places. It needs its script, and says so without it. Only
// its entry is named here, and it loads the script of the place.
const admin = filesOf(chunksOf('admin'), 'src/admin/main.tsx');
const adminStyle = styleIn('admin', admin.styles);
writeFileSync(
  at('dist/documents/admin.html'),
  [
    beginning(' lang="en"', 'Administration'),
    '<script type="application/json" id="boot">{{.boot}}</script>',
    // The page before stays in sight until the place is drawn.
    `<script type="module" blocking="render" src="/auth/${admin.scripts[0]}"></script>`,
    '</head><body><div id="root"><noscript>',
    '<main class="no-script"><h1>{{html .brand.name}}</h1>',
    '<p>The page of administration needs JavaScript. Allow it for this address, or use the command <code>portico user</code> on the server.</p>',
    '<p><a href="/auth/account">Your account</a></p></main>',
    '</noscript></div></body></html>\n',
  ].join(''),
);
writeFileSync(at('dist/styles/admin.css'), adminStyle);
styleHashes['admin'] = hashOf(adminStyle);
for (const file of readdirSync(at('.build/admin/assets')))
  if (file.endsWith('.js')) cpSync(at(`.build/admin/assets/${file}`), at(`.build/client/assets/${file}`));

// The script for pages of apps. They load it by this name.
await build({
  ...options,
  configFile: false,
  build: {
    target: 'es2022',
    outDir: '.build/client/assets',
    emptyOutDir: false,
    minify: true,
    lib: {
      entry: '../clients/js/src/script.js',
      formats: ['iife'],
      name: '_',
      fileName: () => 'reauthenticate.js',
    },
  },
});

// What `portico dev` shows: the states of every screen in each language, and the components.
const states = locales.map((locale) => statesIn(locale));
const named = states[0]?.map(([screen, name], i) => {
  const boots = Object.fromEntries(locales.map((locale, at) => [locale, states[at]?.[i]?.[2]]));
  return { screen, name, boots };
});
writeFileSync(at('dist/states.json.gz'), gzipSync(JSON.stringify(named)));
const styles = new Set(scripted.flatMap((screen) => filesOf(chunks, entryOf(screen)).styles));
writeFileSync(at('dist/components.html'), componentsPage(styleIn('client', [...styles]), renderComponents()));

const assets = readdirSync(at('.build/client/assets')).filter((file) => !file.endsWith('.css'));
await Promise.all(assets.map(compress));
writeFileSync(
  at('dist/documents/manifest.json'),
  `${JSON.stringify({ style_hashes: styleHashes, assets: assets.map((file) => `assets/${file}`).sort() }, null, 2)}\n`,
);
console.log(`dist: ${screenNames.length + 1} documents, ${assets.length} assets`);

/** @param {string} file */
async function compress(file) {
  const content = readFileSync(at(`.build/client/assets/${file}`));
  cpSync(at(`.build/client/assets/${file}`), at(`dist/assets/${file}`));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(at(`dist/assets/${file}.br`), await promisify(brotliCompress)(content, { params }));
  writeFileSync(at(`dist/assets/${file}.gz`), await promisify(gzip)(content, { level: 9 }));
}
