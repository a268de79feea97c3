import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Portico, Refused, Unavailable } from 'portico-client';
import { KeySet } from '../src/keys.js';
import { PUBLIC_URL, StandIn } from './support/stand-in.js';

/** @type {StandIn} */
let standIn;
before(async () => {
  standIn = await StandIn.start();
});
after(() => standIn.stop());

const client = (options = {}) => new Portico(PUBLIC_URL, { address: standIn.address, ...options });
const b64 = (/** @type {unknown} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a token tells who is signed in', async () => {
  const person = await client().verify(await standIn.token());
  assert.deepEqual(person, {
    id: 'mara',
    email: 'mara@example.com',
    name: 'Mära Lind',
    roles: ['admin'],
    methods: ['password'],
    sessionId: 's1',
    authenticatedAt: new Date(1_777_863_721_000),
  });
  assert.equal(standIn.host, 'portico.test'); // whatever the address
});

const seconds = (/** @type {number} */ n) => Math.floor(Date.now() / 1000) + n;
for (const [name, claims, holds] of /** @type {[string, Record<string, unknown>, boolean][]} */ ([
  ['another issuer', { iss: 'https://evil.test' }, false],
  ['an issuer with a slash', { iss: `${PUBLIC_URL}/` }, false],
  ['no issuer', { iss: undefined }, false],
  ['another app', { aud: 'shop' }, false],
  ['two apps', { aud: ['app', 'shop'] }, false],
  ['a list of this app', { aud: ['app'] }, true],
  ['no audience', { aud: undefined }, false],
  ['over', { exp: seconds(-60) }, false],
  ['over by less than clocks differ', { exp: seconds(-5) }, true],
  ['no end', { exp: undefined }, false],
  ['an end in words', { exp: 'tomorrow' }, false],
  ['an end that is no finite number', { exp: '@1e400' }, false],
  ['an end that no clock reaches', { exp: '@1e300' }, false],
  ['an end within a second', { exp: seconds(60) + 0.5 }, false],
  ['a beginning that is no finite number', { nbf: '@-1e400' }, false],
  ['made within a second', { iat: seconds(-60) + 0.5 }, false],
  ['a sign-in that is no finite number', { auth_time: '@1e400' }, false],
  ['a sign-in in words', { auth_time: 'today' }, false],
  ['not yet', { nbf: seconds(60) }, false],
  ['made in the future', { iat: seconds(60) }, false],
  ['made just ahead', { iat: seconds(5), nbf: seconds(5) }, true],
  ['nobody', { sub: undefined }, false],
  ['an empty subject', { sub: '' }, false],
]))
  test(`claims: ${name}`, async () => {
    const verified = client().verify(await standIn.token(claims));
    if (holds) assert.equal((await verified).id, 'mara');
    else await assert.rejects(verified, Refused);
  });

test('a token does not choose how it is verified', async () => {
  const good = await standIn.token();
  const [head = '', body = '', signature = ''] = good.split('.');
  const evil = b64({ iss: PUBLIC_URL, aud: 'app', sub: 'evil', exp: seconds(60) });
  const hmacHead = b64({ alg: 'HS256', typ: 'JWT', kid: 'key-1' });
  const hmac = createHmac('sha256', JSON.stringify(standIn.keys[0]?.jwk)).update(`${hmacHead}.${evil}`);
  const other = await StandIn.start();
  other.stop();
  const forged = {
    'another payload': `${head}.${evil}.${signature}`,
    'no signature': `${head}.${body}.`,
    'alg none': `${b64({ alg: 'none', typ: 'JWT', kid: 'key-1' })}.${evil}.AAAA`,
    'a public key as HMAC': `${hmacHead}.${evil}.${hmac.digest('base64url')}`,
    'another’s key': await other.token(),
    'an unknown key': await other.token({}, { kid: '__proto__' }),
    'no key': await other.token({}, { kid: undefined }),
    'a key in the token': await other.token({}, { jwk: other.keys[0]?.jwk }),
    'a critical header': await standIn.token({}, { crit: ['x'], x: 1 }),
    'another type': await standIn.token({}, { typ: 'at+jwt' }),
    'no type': await standIn.token({}, { typ: undefined }),
    JSON: JSON.stringify({ protected: head, payload: body, signature }),
    'white space': ` ${good}`,
    padded: `${head}=.${body}.${signature}`,
    twice: `${good}, ${good}`,
    'longer than is parsed': await standIn.token({ x: 'x'.repeat(9000) }),
  };
  const portico = client();
  for (const [name, token] of Object.entries(forged))
    await assert.rejects(portico.verify(token), Refused, name);
  await assert.rejects(portico.verify(/** @type {any} */ (undefined)), Refused);
});

test('whoever sends noise is nobody', async () => {
  const portico = client();
  const good = await standIn.token();
  for (let i = 0; i < good.length; i += 1) {
    const changed = `${good.slice(0, i)}${good[i] === 'A' ? 'B' : 'A'}${good.slice(i + 1)}`;
    await assert.rejects(portico.verify(changed), (error) => error instanceof Refused);
  }
});

// The last character of a part can have bits that no byte uses. A list of revoked
// or used tokens would not know the other spellings.
test('a token has one spelling', async () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const portico = client();
  const parts = (await standIn.token({ name: 'M' })).split('.');
  for (let n = 0; n < parts.length; n += 1)
    for (const letter of letters) {
      const other = parts.map((part, i) => (i === n ? part.slice(0, -1) + letter : part)).join('.');
      if (other !== parts.join('.')) await assert.rejects(portico.verify(other), Refused, other.slice(-2));
    }
  for (const other of [`${parts.join('.')}\n`, parts.join('.').replaceAll('-', '+').replaceAll('_', '/')])
    if (other !== parts.join('.')) await assert.rejects(portico.verify(other), Refused);
});

// Of two members with one name, another program may take the other one (RFC 7519 4).
test('a token has each member once', async () => {
  const portico = client();
  const claims = { name: 'quoted " \\": {', unknown: { a: [{ a: 1, b: { a: 1 } }] } };
  assert.equal((await portico.verify(await standIn.token(claims))).id, 'mara');
  /** @type {Set<string>} */
  const names = new Set();
  await standIn.token(claims, {}, (json, part) => {
    for (const name of Object.keys(JSON.parse(json))) names.add(`${part} ${name}`);
    return json;
  });
  assert.ok(names.has('body sub') && names.has('head alg'));
  const refused = async (/** @type {string} */ where, /** @type {(json: string) => string} */ edit) => {
    const token = await standIn.token(claims, {}, (json, part) => (part === where ? edit(json) : json));
    await assert.rejects(portico.verify(token), Refused, `${where}: ${edit('{}')}`);
  };
  for (const name of names) {
    const [where = '', member = ''] = name.split(' ');
    const again = (/** @type {string} */ json) =>
      `"${member}":${JSON.stringify(JSON.parse(json)[member] ?? 1)}`;
    await refused(where, (json) => `{${again(json)},${json.slice(1)}`);
    await refused(where, (json) => `${json.slice(0, -1)},${again(json)}}`);
  }
  await refused('body', (json) => `{"\\u0073ub":"evil",${json.slice(1)}`);
  for (const deep of [
    '{"b":1,"b":2}',
    '{"b":{"c":1,"c":1}}',
    '[{"b":1,"b":1}]',
    '[[],{"b":[{"c":1,"\\u0063":1}]}]',
    '{"__proto__":1,"__proto__":1}',
  ])
    for (const where of ['head', 'body']) await refused(where, (json) => `{"deep":${deep},${json.slice(1)}`);
});

test('a request is read from the headers of node and of fetch', async () => {
  const portico = client();
  const token = await standIn.token();
  assert.equal(await portico.identify({}), null);
  assert.equal(await portico.identify({ 'x-portico-token': '' }), null);
  assert.equal(await portico.identify({ 'x-portico-user': 'evil', authorization: `Bearer ${token}` }), null);
  assert.equal((await portico.identify({ 'x-portico-token': token }))?.id, 'mara');
  assert.equal((await portico.identify(new Headers({ 'X-Portico-Token': token })))?.id, 'mara');
  await assert.rejects(portico.identify({ 'x-portico-token': [token, token] }), Refused);
});

/** Stops the time, and returns what moves it. @param {import('node:test').TestContext} t */
function clock(t) {
  let now = Math.ceil(performance.now()); // whole milliseconds: a sum of fractions may be a little less than its parts
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  t.mock.method(performance, 'now', () => now);
  return (/** @type {number} */ forward) => {
    now += forward;
    t.mock.timers.tick(forward);
  };
}

test('keys are fetched rarely, rotated unnoticed, and revoked within five minutes', async (t) => {
  const own = await StandIn.start();
  t.after(() => own.stop());
  const tick = clock(t);
  const portico = new Portico(PUBLIC_URL, { address: own.address });
  const exp = seconds(3600);
  const first = await own.token({ exp });
  await Promise.all(Array.from({ length: 50 }, () => portico.verify(first)));
  assert.equal(own.fetches, 1, 'one fetch for all who wait');

  tick(60_000);
  await own.rotate();
  await portico.verify(await own.token({ exp }));
  await portico.verify(first);
  assert.equal(own.fetches, 2, 'an unknown key is looked for');

  own.keys.shift();
  tick(5 * 60_000);
  await assert.rejects(portico.verify(first), Refused, 'a revoked key');

  const stranger = await StandIn.start();
  stranger.stop();
  const before = own.fetches;
  for (let i = 0; i < 100; i += 1) {
    tick(100);
    await assert.rejects(portico.verify(await stranger.token({}, { kid: `made-up-${i}` })), Refused);
  }
  assert.ok(own.fetches - before <= 6, `made-up keys cost ${own.fetches - before} fetches in ten seconds`);
});

test('while Portico is away the keys hold for a while', async (t) => {
  const own = await StandIn.start();
  t.after(() => own.stop());
  const tick = clock(t);
  /** @type {Error[]} */
  const told = [];
  const portico = new Portico(PUBLIC_URL, { address: own.address, onError: (error) => told.push(error) });
  own.status = 503;
  await assert.rejects(portico.verify(await own.token()), Unavailable);
  own.status = 200;
  tick(2_000);
  const token = await own.token({ exp: seconds(3600) });
  await portico.verify(token);
  own.status = 503;
  for (let minute = 1; minute < 15; minute += 1) {
    tick(60_000);
    await portico.verify(token);
    while (told.length < minute - 2) await new Promise(setImmediate); // the fetch in the background fails
  }
  assert.ok(told.every((error) => error instanceof Unavailable && error.message.endsWith('status 503')));
  tick(60_000);
  await assert.rejects(portico.verify(token), Unavailable);
});

test('no request waits for a fetch that never ends', async (t) => {
  const tick = clock(t);
  const set = { keys: standIn.keys.map(({ jwk }) => jwk) };
  let fetches = 0;
  /** The first fetch is one of a request that a runtime has ended. */
  const lost = () => (fetches++ ? Promise.resolve(set) : new Promise(() => {}));
  const shared = new KeySet(lost, 6_000, () => assert.fail());
  shared.find('key-1');
  tick(6_000);
  assert.ok(await shared.find('key-1'));
  assert.equal(fetches, 2);
  fetches = 0;
  const own = new KeySet(lost, 0, () => assert.fail());
  own.find('key-1');
  assert.ok((await Promise.all([own.find('key-1'), own.find('key-1')])).every(Boolean));
  assert.equal(fetches, 3, 'each has its own');
  tick(299_000);
  assert.ok(await own.find('key-1'));
  assert.equal(fetches, 3, 'none in the background, which a runtime would end');
  tick(2_000);
  assert.ok(await own.find('key-1'));
  assert.equal(fetches, 4);
});

test('the console tells which address or setting is wrong', async (t) => {
  const { mock } = t.mock.method(console, 'warn', () => {});
  const headers = { 'x-portico-token': await standIn.token({ iss: 'https://other.test' }) };
  const request = new Request('http://app.test/', { headers });
  await client().admit(request);
  await new Portico('http://localhost:1').admit(request);
  standIn.status = 404;
  await client().admit(request);
  standIn.status = 200;
  standIn.body = '<!doctype html>'; // another program
  await client().admit(request);
  standIn.body = null;
  const told = mock.calls.map(({ arguments: [text] }) => String(text));
  assert.match(told[0] ?? '', /is from https:\/\/other\.test, and this app trusts https:\/\/portico\.test/);
  assert.match(
    told[1] ?? '',
    /cannot fetch http:\/\/localhost:1\/\.well-known\/jwks\.json, is Portico there\? .*ECONNREFUSED/,
  );
  for (const text of told.slice(2))
    assert.ok(text.includes(`cannot fetch ${standIn.address}/.well-known/jwks.json`), text);
  assert.equal(told.length, 4);
});

test('a set that is none is no answer', async () => {
  const [key] = standIn.keys;
  const bodies = {
    'no JSON': '<!doctype html>',
    'no keys': '{"keys":[]}',
    'another use': JSON.stringify({ keys: [{ ...key?.jwk, use: 'enc' }] }),
    'another algorithm': JSON.stringify({ keys: [{ ...key?.jwk, alg: 'RS256' }] }),
    'off the curve': JSON.stringify({ keys: [{ ...key?.jwk, x: 'AAAA' }] }),
    'too many': JSON.stringify({ keys: Array(40).fill(key?.jwk) }),
    'too long': JSON.stringify({ keys: [key?.jwk] }) + ' '.repeat(70_000),
  };
  for (const [name, body] of Object.entries(bodies)) {
    standIn.body = body;
    await assert.rejects(client().verify(await standIn.token()), Unavailable, name);
  }
  standIn.body = null;
});

test('what can only be a mistake is refused at once', () => {
  for (const url of [
    'example.com',
    'http://example.com',
    'https://example.com/auth',
    'https://u@example.com',
    'ftp://x',
    'http://localhost.evil.test',
  ])
    assert.throws(() => new Portico(url), TypeError, url);
  for (const url of [
    'https://example.com',
    'https://example.com/',
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://[::1]:1',
  ])
    assert.ok(new Portico(url));
});
