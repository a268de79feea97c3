import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = ['src', 'tools', 'fixtures', '../clients/js/src'];

/**
 * Rebuilds the documents if a source is newer, so that the tests see the current source. It builds only
 * then, because a Go build may be embedding the documents at the same time. `make web-test` has built them.
 */
export function setup(): void {
  if (newest(['dist/documents/manifest.json']) < newest([...SOURCES, ...settings()]))
    execFileSync(process.execPath, [`${web}tools/build.mjs`], { stdio: 'inherit' });
}

/** When the newest of these files, or of the files in these folders, was written; 0 for none. */
function newest(paths: string[]): number {
  const times = paths.flatMap((path) => {
    const found = statSync(web + path, { throwIfNoEntry: false });
    if (!found) return [];
    if (!found.isDirectory()) return [found.mtimeMs];
    return readdirSync(web + path).map((name) => newest([`${path}/${name}`]));
  });
  return Math.max(0, ...times);
}

const settings = (): string[] => readdirSync(web).filter((name) => /\.(json|ts)$/.test(name));
