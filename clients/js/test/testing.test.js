// The helpers for the tests of an app, in a real Chromium: the sample of the page "Test your app".
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CHROMIUM } from './support/app.js';
import { BINARY, freePort, listen } from './support/site.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let folder = '';
const foreign = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>Foreign</title>');
});

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-sample-'));
});
after(async () => {
  foreign.close();
  await rm(folder, { recursive: true });
});

/** The files of the page: each block begins with the name of its file in a comment. */
async function sample() {
  const page = await readFile(join(ROOT, 'docs/integrating/testing.md'), 'utf8');
  return [...page.matchAll(/^```\w+\n(?:\/\/|#) (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', text = '']) => ({
      name,
      text,
    }),
  );
}

test('the sample of the documents passes, and what the helpers promise', async () => {
  const ports = { 8080: await freePort(), 3000: await freePort(), 4000: await listen(foreign) };
  const files = (await sample()).filter(({ name }) => !name.endsWith('.py'));
  const ourSpec = await readFile(new URL('support/helpers.spec.txt', import.meta.url), 'utf8');
  for (const { name, text } of [...files, { name: 'tests/helpers.spec.js', text: ourSpec }]) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    const moved = Object.entries(ports).reduce((all, [from, to]) => all.replaceAll(from, String(to)), text);
    await writeFile(path, moved.replace('use: {', `use: { launchOptions: ${JSON.stringify(CHROMIUM)},`));
  }
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@playwright'), { recursive: true });
  await symlink(join(ROOT, 'clients/js/node_modules/@playwright/test'), join(modules, '@playwright/test'));
  await symlink(join(ROOT, 'clients/js'), join(modules, 'portico-client'));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'clients/js/node_modules/@playwright/test/cli.js'), 'test', '--reporter=list', '--workers=2'],
    { cwd: folder, env: { ...process.env, PATH: `${dirname(BINARY)}:${process.env['PATH']}` } },
  ).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  assert.match(stdout, /\d+ passed/);
});
