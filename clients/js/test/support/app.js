import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { PASSWORD } from './site.js';

export const CHROMIUM = {
  executablePath: process.env['CHROMIUM'] ?? '/usr/lib/chromium/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
};

export const launch = () => chromium.launch(CHROMIUM);

export const page = (/** @type {string} */ body) =>
  `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>App</title>${body}`;

/** @param {string} contents @param {import('esbuild').BuildOptions} [options] */
export async function bundle(contents, options = {}) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
    ...options,
  });
  return outputFiles?.[0]?.text ?? '';
}

/** @param {import('playwright-core').Page} tab @param {string} [email] */
export async function signIn(tab, email = 'mara@example.com') {
  await tab.getByLabel('Email').fill(email);
  await tab.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await tab.getByRole('button', { name: 'Login' }).click();
}
