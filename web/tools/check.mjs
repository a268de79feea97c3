// Runs all checks of the front end, also after one that fails, and names the failed ones at the end.
//   npm run check
import { spawnSync } from 'node:child_process';

const CHECKS = [
  'biome check --error-on-warnings',
  'tsc',
  'node tools/messages.mjs --check',
  'node tools/arrows.mjs',
  'node tools/branches.mjs',
  'node tools/scale.mjs',
  'knip',
  'node tools/size.mjs',
];

const failed = CHECKS.filter((check) => spawnSync(check, { shell: true, stdio: 'inherit' }).status !== 0);
for (const check of failed) console.error(`failed: ${check}`);
process.exitCode = failed.length ? 1 : 0;
