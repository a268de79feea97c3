// Makes the page of all tokens and components, which `portico dev` shows. The tokens are read from the style sheets.
import { readFileSync } from 'node:fs';

/** @param {string} file */
const read = (file) => readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');

/** The tokens of a style sheet: the variables of its first :root, with their values. @param {string} file @returns {[string, string][]} */
const tokensOf = (file) => {
  const root = /:root \{([^}]*)\}/.exec(read(file))?.[1] ?? '';
  return Array.from(root.matchAll(/(--[\w-]+):\s*([^;]+);/g), ([, name = '', value = '']) => [name, value]);
};

const TOKENS = [...tokensOf('ui/tokens.css'), ...tokensOf('screens/own/account.css')];
const isColor = (/** @type {[string, string]} */ [, value]) => /^#|gradient/.test(value);

/** The steps of the scale, which tools/scale.mjs reads from the comment of ui/tokens.css. @param {string} name @returns {string[]} */
export const stepsOf = (name) =>
  new RegExp(`^ \\* ${name}\\s+([\\d. ]+)`, 'm').exec(read('ui/tokens.css'))?.[1]?.trim().split(/ +/) ?? [];

const FONTS = stepsOf('type');
const SPACES = stepsOf('space');

/** A scheme or a brand replaces the colors, so they are shown by their names. */
const STYLE = `
.page{padding:24px;display:block}
.page .components{margin:0;padding:0;columns:21rem;column-gap:2rem}
.components>section{break-inside:avoid;margin-block-end:2rem;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:var(--radius)}
.components>section>h2{margin:0 0 1rem;font-size:.8125rem;color:var(--muted)}
.tokens{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.5rem}
.tokens li{font-size:.8125rem;overflow-wrap:anywhere}
.tokens i{display:block;block-size:2.5rem;border:1px solid var(--line);border-radius:.25rem}
.steps li{display:flex;align-items:center;gap:.75rem;font-size:.8125rem}
.steps i{block-size:.75rem;background:var(--accent)}
${TOKENS.filter(isColor)
  .map(([name]) => `.t${name}{background:var(${name})}`)
  .join('\n')}
${FONTS.map((step) => `.f${step}{font-size:${Number(step) / 16}rem}`).join('\n')}
${SPACES.map((step) => `.s${step}{inline-size:${Number(step) / 16}rem}`).join('\n')}
`;

/** @param {string} name @param {string} body */
const section = (name, body) => `<section><h2>${name}</h2>${body}</section>`;

/** @param {string} css @param {{ name: string, body: string }[]} examples */
export function componentsPage(css, examples) {
  const colors = TOKENS.filter(isColor).map(([name]) => `<li><i class="t${name}"></i>${name}</li>`);
  const others = TOKENS.filter((token) => !isColor(token)).map(
    ([name, value]) => `<li>${name}: ${value}</li>`,
  );
  const fonts = FONTS.map((step) => `<li><span class="f${step}">${step} px</span></li>`);
  const spaces = SPACES.map((step) => `<li><i class="s${step}"></i>${step} px</li>`);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tokens and components</title>',
    `<meta name="viewport" content="width=device-width,initial-scale=1"><style>${css}${STYLE}</style></head>`,
    '<body><div class="page"><main class="components">',
    section('Color roles', `<ul class="tokens">${colors.join('')}</ul>`),
    section('Type', `<ul class="steps">${fonts.join('')}</ul>`),
    section('Space', `<ul class="steps">${spaces.join('')}</ul>`),
    section('Other tokens', `<ul class="tokens">${others.join('')}</ul>`),
    ...examples.map(({ name, body }) => section(name, `<form>${body}</form>`)),
    '</main></div></body></html>\n',
  ].join('\n');
}
