// Serves dist with sample boot data, without the Go server: / lists every screen in every state.
// ?theme=dark takes a theme of fixtures/themes.json, which internal/brand writes.
//   node tools/preview.mjs [port]

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { BOOT, installation } from '../fixtures/admin.mjs';
import { STATES } from '../fixtures/states.mjs';
import { localized } from '../fixtures/words.mjs';
import { fill, templateOf } from './template.mjs';

const dist = new URL('../dist/', import.meta.url);
/** @returns {{ style_hashes: Record<string, string> }} */
const manifest = () => JSON.parse(readFileSync(new URL('documents/manifest.json', dist), 'utf8'));

/** @type {Record<string, import('./template.mjs').Theme & { hash: string }>} */
const THEMES = JSON.parse(readFileSync(new URL('../fixtures/themes.json', import.meta.url), 'utf8'));

/** The policy that the Go server sends with the documents. @param {string} screen @param {string} theme */
export const policy = (screen, theme = 'plain') =>
  [
    "default-src 'none'; script-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'",
    `style-src '${[manifest().style_hashes[screen], THEMES[theme]?.hash].filter(Boolean).join("' '")}'`,
    "base-uri 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  ].join('; ');

/** The document of a screen in a state, as the server would send it. @param {string} screen @param {string} state @param {string} locale @param {string} theme */
export function documentOf(screen, state, locale, theme = 'plain') {
  const boot = STATES.find(([s, name]) => s === screen && name === state)?.[2];
  if (!boot) return undefined;
  return {
    status: boot.status,
    html: fill(templateOf(locale, screen), localized(boot, locale), THEMES[theme]),
  };
}

const admin = installation();

/** The page of administration. */
const adminDocument = (/** @type {string} */ theme) =>
  fill(
    readFileSync(new URL('documents/admin.html', dist), 'utf8').replace('{{.style}}', () =>
      readFileSync(new URL('styles/admin.css', dist), 'utf8'),
    ),
    BOOT,
    THEMES[theme],
  );

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function answerAdmin(request, response) {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { status, body } = admin.answer(
    request.method ?? 'GET',
    request.url ?? '',
    text ? JSON.parse(text) : undefined,
  );
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
function answer(request, response) {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, screen = '', state = '', locale = 'en'] =
    /^\/preview\/([\w-]+)\/([\w-]+)(?:\/(\w+))?$/.exec(url.pathname) ?? [];
  const theme = url.searchParams.get('theme') ?? 'plain';
  const page = screen && documentOf(screen, state, locale, theme);
  if (page) {
    response.writeHead(page.status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy(screen, theme),
    });
    return response.end(page.html);
  }
  if (url.pathname.startsWith('/auth/api/admin/')) return answerAdmin(request, response);
  if (url.pathname.startsWith('/auth/admin')) {
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy('admin', theme),
    });
    return response.end(adminDocument(theme));
  }
  const asset = /^\/auth\/(assets\/[\w.-]+)$/.exec(url.pathname)?.[1];
  if (asset) {
    const content = readFileSync(new URL(`${asset}.br`, dist));
    response.writeHead(200, { 'content-type': 'text/javascript', 'content-encoding': 'br' });
    return response.end(content);
  }
  if (url.pathname !== '/') return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  return response.end(
    `<p><a href="/auth/admin">administration</a></p><ul>${STATES.map(([s, name]) => `<li><a href="/preview/${s}/${name}">${s}: ${name}</a> (<a href="/preview/${s}/${name}/de">de</a>)`).join('')}</ul>`,
  );
}

/** @param {number} port */
export const serve = (port) =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      try {
        answer(request, response);
      } catch (error) {
        response.writeHead(404).end(String(error));
      }
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve(Number(process.argv[2] ?? 4173));
  console.log(`http://localhost:${server.address().port}/`);
}
