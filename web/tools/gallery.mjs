// Builds Portico and starts `portico dev`, whose gallery has every state of every screen. A build without changes takes a second.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A provider in the place of the stand-in one, as most states have. */
const SETTINGS = {
  PORTICO_LISTEN: '127.0.0.1:0',
  PORTICO_PROVIDERS_GOOGLE_PRESET: 'google',
  PORTICO_PROVIDERS_GOOGLE_CLIENT_ID: 'portico',
  PORTICO_PROVIDERS_GOOGLE_CLIENT_SECRET: 'not used',
};

/** The path of a state. @param {string} screen @param {string} state @param {string} locale @param {'light' | 'dark'} scheme */
export const pathOf = (screen, state, locale = 'en', scheme = 'light') =>
  `/dev/screens/${screen}/${state}/${scheme}?locale=${locale}`;

/** Builds the binary with the screens of now, or throws. */
export function build() {
  const { MAKEFLAGS: _, ...env } = process.env; // of a make that runs this
  const { status } = spawnSync('make', ['-s', 'build'], { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) throw new Error('make build failed: the screens would be old ones');
}

/**
 * Starts it with other settings, such as a brand. The origin is where it serves.
 * @param {Record<string, string>} [settings]
 * @returns {Promise<{ origin: string, close: () => void }>}
 */
export async function start(settings = {}) {
  const folder = mkdtempSync(`${tmpdir()}/portico-gallery-`);
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PORTICO_')); // of the caller
  const env = {
    ...Object.fromEntries(others),
    ...SETTINGS,
    PORTICO_DATABASE_URL: `sqlite:${folder}/portico.db`,
    PORTICO_SECRET_FILE: `${folder}/secret.key`,
    ...settings,
  };
  const server = spawn(`${root}bin/portico`, ['dev'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const origin = await new Promise((resolve, reject) => {
    /** @param {Buffer} text */
    const hear = (text) => {
      printed += text;
      if (printed.includes('Ctrl-C')) resolve(/http:\/\/localhost:\d+/.exec(printed)?.[0]);
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('exit', () => reject(new Error(`portico dev did not start: ${printed}`)));
  });
  const close = () => {
    server.removeAllListeners('exit');
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { origin, close };
}
