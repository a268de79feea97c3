// Checks that style sheets use the sizes, spaces and corners of the scale in src/ui/tokens.css, and colors only by their roles.
//   node tools/scale.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { stepsOf } from './components.mjs';

const src = new URL('../src/', import.meta.url);
const TOKENS = 'ui/tokens.css';

/** The steps that a property may have, by its name. @type {[RegExp, string[]][]} */
const SCALES = [
  [/^font-size$/, stepsOf('type')],
  [/^(margin|padding|gap|row-gap|column-gap)\b/, stepsOf('space')],
  [/^border(-\w+)*-radius$/, stepsOf('corner')],
];

/** What stands for more than a step: the ground of a code that cameras read. */
const COLORED = ['screens/app-secret.module.css'];

/** @param {string} file */
function faultsOf(file) {
  const faults = [];
  const text = readFileSync(new URL(file, src), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  for (const [, name = '', value = ''] of text.matchAll(/([\w-]+):\s*([^;{}]+);/g)) {
    const steps = SCALES.find(([property]) => property.test(name))?.[1];
    for (const [, size] of steps ? value.matchAll(/(?<![\w.])(\d*\.?\d+)rem/g) : [])
      if (!steps?.includes(String(Number(size) * 16)))
        faults.push(`${name} of ${size}rem is not on the scale: ${steps?.join(' ')} px`);
    if (/#[\da-f]{3,8}\b/.test(value) && ![TOKENS, ...COLORED].includes(file))
      faults.push(`${name}: ${value} is a color without a role`);
  }
  return faults.map((fault) => `src/${file}: ${fault}`);
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
const faults = files.flatMap(faultsOf);
for (const fault of faults) console.error(fault);
console.log(`scale: ${files.length} style sheets, ${faults.length} faults`);
process.exitCode = faults.length ? 1 : 0;
