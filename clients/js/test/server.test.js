// The examples, behind the real program.
import assert from 'node:assert/strict';
import { createServer, request as send } from 'node:http';
import { after, before, test } from 'node:test';
import { Portico, Refused } from 'portico-client';
import { app as onExpress } from '../examples/express.js';
import { app as onFastify } from '../examples/fastify.js';
import { app as onHttp } from '../examples/http.js';
import { listen, Site } from './support/site.js';

/** Passes on to whichever app a test is about. */
const upstream = createServer((request, response) => {
  token = String(request.headers['x-portico-token'] ?? '');
  app(request, response);
});
/** @type {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown} */
let app = () => {};
let token = ''; // the last one that an app was sent
/** @type {Site} */
let site;
let mara = '';
let ben = '';

before(async () => {
  site = await Site.start(await listen(upstream), { PORTICO_RULES: 'public /*' });
  [mara, ben] = [await site.signIn('mara@example.com'), await site.signIn('ben@example.com')];
});
after(async () => {
  await site.stop();
  upstream.closeAllConnections();
  upstream.close();
});

/**
 * Returns the answer that a browser or a script gets. It does not use fetch(), which sets Sec-Fetch-Mode: cors.
 * @param {string} path @param {{ cookie?: string, method?: string, headers?: Record<string, string>, port?: number }} [options]
 * @returns {Promise<{ status: number, location: string | undefined, body: string }>}
 */
function get(path, { cookie, method = 'GET', headers = {}, port } = {}) {
  const url = new URL(path, site.origin);
  if (port) url.port = String(port);
  return new Promise((resolve, reject) => {
    const asked = send(url, { method, headers: cookie ? { ...headers, cookie } : headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, body }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** @param {import('node:http').Server} server @returns {typeof app} */
const handlerOf = (server) => (request, response) => server.emit('request', request, response);

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const SCRIPT = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };

for (const [name, start] of /** @type {const} */ ([
  ['node:http', (/** @type {string} */ url) => handlerOf(onHttp(url))],
  [
    'Fastify',
    async (/** @type {string} */ url) => {
      const site = onFastify(url);
      await site.ready();
      return site.routing;
    },
  ],
]))
  test(`${name}: everybody is asked to sign in`, async () => {
    app = await start(site.origin);
    const greeted = await get('/', { cookie: mara, headers: NAVIGATION });
    assert.equal(greeted.status, 200);
    assert.match(greeted.body, /^Hello, (Mära Lind|mara@example.com)$/);
    const { status, location } = await get('/a%20b?c=d', { headers: NAVIGATION });
    assert.equal(status, 303);
    assert.equal(location, `${site.origin}/auth/signin?return_to=%2Fa%2520b%3Fc%3Dd`);
    const fetched = await get('/', { headers: SCRIPT });
    assert.equal(fetched.status, 401);
    assert.equal(JSON.parse(fetched.body).signin_url, `${site.origin}/auth/signin`);
    const forged = await get('/', {
      cookie: mara,
      headers: { 'X-Portico-Token': 'x.y.z', X_Portico_Token: 'x' },
    });
    assert.match(forged.body, /^Hello, /, 'the gateway takes a forged token away');
  });

test('Express: some pages are for everybody, some for administrators', async () => {
  app = onExpress(site.origin);
  assert.equal((await get('/')).body, 'Hello, visitor');
  assert.equal((await get('/', { cookie: ben })).body, 'Hello, ben@example.com');
  assert.equal((await get('/admin/people', { cookie: mara })).body, 'Hello, mara@example.com');
  assert.equal((await get('/admin/people', { cookie: ben })).status, 403);
  const { location } = await get('/admin/people?x', { headers: NAVIGATION });
  assert.match(
    location ?? '',
    /return_to=%2Fadmin%2Fpeople%3Fx$/,
    'the whole path, though the router cuts it',
  );
});

test('an app that is reached past the gateway believes no token but Portico’s', async () => {
  app = handlerOf(onHttp(site.origin));
  const { port } = /** @type {import('node:net').AddressInfo} */ (upstream.address());
  const { status, body } = await get('/', {
    port,
    headers: { 'x-portico-token': 'x.y.z', 'x-portico-user': 'mara' },
  });
  assert.equal(status, 401);
  assert.equal(JSON.parse(body).code, 'token.refused');
  const twice = /** @type {any} */ ({ 'x-portico-token': [token, token] });
  assert.equal((await get('/', { port, headers: twice })).status, 401);
});

test('a key that is rotated is not felt, one that is revoked is refused', async () => {
  await get('/', { cookie: mara });
  const first = token;
  const portico = new Portico(site.origin);
  assert.equal((await portico.verify(first)).email, 'mara@example.com');
  const [signing] = JSON.parse(await site.run('keys', 'list', '--json'));
  await site.run('keys', 'rotate');
  assert.equal((await portico.verify(first)).email, 'mara@example.com');
  await site.run('keys', 'revoke', signing.id);
  while (token === first) await get('/', { cookie: mara }); // the server feels it within seconds
  await new Promise((done) => setTimeout(done, 2_000)); // the least between two fetches
  assert.equal((await portico.verify(token)).email, 'mara@example.com', 'the key of a moment ago is fetched');
  await assert.rejects(portico.verify(first), Refused);
});

test('on a host of its own an app brings the session there first', async () => {
  app = handlerOf(onHttp('https://login.example.com'));
  const { port } = /** @type {import('node:net').AddressInfo} */ (upstream.address());
  const { location } = await get('/a?b', { port, headers: { ...NAVIGATION, host: 'app.example.com' } });
  assert.equal(location, 'https://app.example.com/auth/enter?to=%2Fa%3Fb');
  const program = { ...NAVIGATION, host: 'app.example.com', accept: 'application/json, */*' };
  assert.equal(
    (await get('/a?b', { port, headers: program })).status,
    401,
    'a program that takes JSON and no page',
  );
  const sent = { ...NAVIGATION, host: 'app.example.com', referer: 'https://app.example.com/form?x' };
  const posted = await get('/save', { port, method: 'POST', headers: sent });
  assert.equal(posted.location, 'https://app.example.com/auth/enter?to=%2Fform%3Fx');
  for (const path of ['/auth/enter?to=%2F', '/auth/signin']) {
    const past = await get(path, { port, headers: NAVIGATION });
    assert.equal(past.status, 401, 'past Portico this would lead to itself');
    assert.match(JSON.parse(past.body).detail, /open https:\/\/login\.example\.com/);
  }
});

test('an app that asks Portico knows who a cookie belongs to, and that it has ended', async () => {
  const portico = new Portico(site.origin, { askPortico: true });
  const cookie = await site.signIn('ben@example.com');
  const found = await portico.identify({ cookie: `own=1; ${cookie}` });
  assert.equal(found?.email, 'ben@example.com');
  assert.deepEqual(found?.methods, ['password']);
  assert.equal(await portico.identify({ cookie: 'own=1' }), null);
  assert.equal(await portico.identify({ cookie: 'portico-session=made-up' }), null);
  await site.run('session', 'end', 'ben@example.com');
  await new Promise((done) => setTimeout(done, 1_000)); // within one second
  assert.equal(await portico.identify({ cookie }), null);
});
