// The package on Node, Bun, and an edge runtime, which has Web Crypto and fetch() alone.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EdgeVM } from '@edge-runtime/vm';
import { bundle } from './support/app.js';
import { guard } from './support/guard.js';
import { StandIn } from './support/stand-in.js';

const BUN = 'bun@1.4.5';

/** @type {StandIn} */
let portico;
let token = '';
before(async () => {
  portico = await StandIn.start();
  token = await portico.token({ iss: portico.address });
});
after(() => portico.stop());

const wanted = () => [
  'mara@example.com',
  `303 ${portico.address}/auth/signin?return_to=%2Fa%2520b%3Fc%3Dd`,
  '401 session.required',
  '401 token.refused',
];

test('Node', async () => {
  assert.deepEqual(await guard(portico.address, token), wanted());
});

test('Bun', async () => {
  const script = fileURLToPath(new URL('support/guard.js', import.meta.url));
  const { stdout } = await promisify(execFile)('npx', ['--yes', BUN, script, portico.address, token]);
  assert.deepEqual(JSON.parse(stdout), wanted());
});

test('an edge runtime', async () => {
  const script = await bundle(
    `import { Portico } from 'portico-client'; import { guard } from './guard.js'; Object.assign(globalThis, { Portico, guard });`,
    { format: 'iife', platform: 'neutral', minify: true, conditions: ['edge-light', 'worker'] },
  );
  assert.doesNotMatch(script, /node:|\bBuffer\b/);
  const vm = new EdgeVM();
  vm.evaluate(script);
  const [here, known] = [JSON.stringify(portico.address), JSON.stringify(token)];
  assert.deepEqual(JSON.parse(await vm.evaluate(`guard(${here}, ${known}).then(JSON.stringify)`)), wanted());
  await assert.rejects(
    vm.evaluate(`new Portico('https://portico.test', { address: ${here} }).verify(${known})`),
    /leave out the option address/,
  );
  // The runtime ends what a request began when that request is answered: the first fetch never settles.
  const lost = `{
    const { fetch } = globalThis;
    globalThis.fetch = () => { globalThis.fetch = fetch; return new Promise(() => {}); };
    const portico = new Portico(${here});
    portico.verify(${known});
    portico.verify(${known});
  }`;
  assert.equal((await vm.evaluate(lost)).email, 'mara@example.com');
});
