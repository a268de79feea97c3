import { execFileSync } from 'node:child_process';

/** The documents under test are those of this source, not of an older build. */
export function setup(): void {
  execFileSync(process.execPath, [new URL('../tools/build.mjs', import.meta.url).pathname], {
    stdio: 'inherit',
  });
}
