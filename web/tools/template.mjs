// Implements the part of Go's text/template that the documents use, for the preview and the tests.

import { readFileSync } from 'node:fs';
import { messagesOf } from './messages.mjs';

/** The document of a screen in a language: a template, with its style and the texts for its script. @param {string} locale @param {string} screen */
export function templateOf(locale, screen) {
  const words = JSON.stringify(
    messagesOf(/** @type {import('./messages.mjs').ScreenName} */ (screen), locale),
  ).replaceAll('<', '\\u003c');
  return built(`.build/documents/${locale}/${screen}.html`)
    .replace('{{.style}}', () => built(`dist/styles/${screen}.css`))
    .replace('{{.words}}', () => words);
}

/** @param {string} file */
const built = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

/** @typedef {{ text: string } | { if: string, yes: Node[], no: Node[] } | { range: string, body: Node[] } | { print: string }} Node */

/** @typedef {{ head: string, icon: string, from: string, to: string, label: string }} Theme */

/** The theme without settings of a brand. @type {Theme} */
const PLAIN = JSON.parse(readFileSync(new URL('../fixtures/themes.json', import.meta.url), 'utf8')).plain;

/**
 * Fills a document template with boot data, as internal/server/screens does.
 * @param {string} template
 * @param {object} boot
 * @param {Theme} [theme]
 */
export function fill(template, boot, theme = PLAIN) {
  const json = JSON.stringify(boot).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const root = { ...boot, boot: json, theme };
  return execute(parse(template), root, root);
}

/** @param {string} template @returns {Node[]} */
function parse(template) {
  const parts = template.split(/\{\{(.*?)\}\}/);
  let at = 0;
  /** @returns {{ nodes: Node[], stop: string }} */
  const block = () => {
    /** @type {Node[]} */
    const nodes = [];
    for (; at < parts.length; ) {
      const part = parts[at] ?? '';
      const isAction = at % 2 === 1;
      at += 1;
      if (!isAction) nodes.push({ text: part });
      else if (part === 'end' || part === 'else') return { nodes, stop: part };
      else if (part.startsWith('if ')) {
        const yes = block();
        nodes.push({ if: part.slice(3), yes: yes.nodes, no: yes.stop === 'else' ? block().nodes : [] });
      } else if (part.startsWith('range ')) nodes.push({ range: part.slice(6), body: block().nodes });
      else nodes.push({ print: part });
    }
    return { nodes, stop: '' };
  };
  return block().nodes;
}

/** @param {Node[]} nodes @param {any} dot @param {any} root @returns {string} */
function execute(nodes, dot, root) {
  return nodes
    .map((node) => {
      if ('text' in node) return node.text;
      if ('print' in node) return print(node.print, dot, root);
      if ('range' in node)
        return lookup(node.range, dot, root)
          .map((/** @type {any} */ item) => execute(node.body, item, root))
          .join('');
      return execute(holds(node.if, dot, root) ? node.yes : node.no, dot, root);
    })
    .join('');
}

/** @param {string} path @param {any} dot @param {any} root */
function lookup(path, dot, root) {
  const [from, ...keys] = path.split('.');
  const value = keys.reduce((of, key) => of?.[key], from === '$' ? root : dot);
  if (value === undefined) throw new Error(`the boot data has no ${path}`);
  return value;
}

/** @param {string} condition @param {any} dot @param {any} root */
function holds(condition, dot, root) {
  const [, path, text] = /^eq (\S+) "(.*)"$/.exec(condition) ?? [];
  if (path) return lookup(path, dot, root) === text;
  const value = lookup(condition, dot, root);
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' };

/** @param {string} action @param {any} dot @param {any} root */
function print(action, dot, root) {
  const [fn, path] = action.includes(' ') ? action.split(' ') : ['', action];
  const value = String(lookup(path ?? '', dot, root));
  if (fn === 'html') return value.replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
  if (fn === 'urlquery')
    return encodeURIComponent(value)
      .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll('%20', '+');
  if (fn === '') return value;
  throw new Error(`unknown action ${action}`);
}
