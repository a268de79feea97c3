// The client of the admin API, on the real program.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { Admin, Problem } from 'portico-client/admin';
import { listen, Site } from './support/site.js';

/** @type {Site} */
let site;
/** @type {Admin} */
let admin;

before(async () => {
  site = await Site.start(1);
  await site.run('user', 'add-role', 'mara@example.com', 'portico:admin');
  const scopes = ['people:read', 'people:write'].flatMap((scope) => ['--scope', scope]);
  const made = await site.run(
    'key',
    'create',
    '--name',
    'test',
    '--owner',
    'mara@example.com',
    '--json',
    ...scopes,
  );
  admin = new Admin(site.origin, JSON.parse(made).secret);
});
after(() => site.stop());

test('a list is read to its end, and a person is changed', async () => {
  const addresses = [];
  for await (const { people } of admin.pages('people', { limit: '1' }))
    addresses.push(...people.map((/** @type {{ address: string }} */ person) => person.address));
  assert.deepEqual(addresses.toSorted(), ['ben@example.com', 'mara@example.com']);
  const { people } = await admin.get('people', { by: 'address', q: 'ben@example.com' });
  await admin.change(`people/${people[0].id}/name`, { name: 'Ben Carter' });
  assert.equal((await admin.get(`people/${people[0].id}`)).name, 'Ben Carter');
});

test('a refusal has its code', async () => {
  await assert.rejects(
    admin.get('record'),
    (error) =>
      error instanceof Problem && error.code === 'key.scope' && error.params['scope'] === 'record:read',
  );
  await assert.rejects(new Admin(site.origin, 'no').get('people'), { status: 401, code: 'key.unknown' });
});

test('a change whose answer is lost is carried out once', async () => {
  let sent = 0;
  const between = createServer(async (request, response) => {
    const body = await new Response(/** @type {any} */ (request)).text();
    const headers = /** @type {Record<string, string>} */ ({ ...request.headers });
    for (const name of ['host', 'connection', 'content-length']) delete headers[name];
    const answer = await fetch(site.origin + request.url, { method: request.method ?? '', headers, body });
    const text = await answer.text();
    sent++;
    if (sent === 1) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  const origin = `http://localhost:${await listen(between)}`;
  const { people } = await admin.get('people', { by: 'address', q: 'ben@example.com' });
  const made = await site.run(
    'key',
    'create',
    '--name',
    'again',
    '--owner',
    'mara@example.com',
    '--json',
    '--scope',
    'people:write',
  );
  const { until } = await new Admin(origin, JSON.parse(made).secret).change(`people/${people[0].id}/link`);
  between.closeAllConnections();
  between.close();
  assert.ok(until && sent === 2);
  const { events } = await admin.get(`people/${people[0].id}`);
  assert.equal(
    events.filter((/** @type {{ what: string }} */ event) => event.what === 'link_made').length,
    1,
  );
});

test('a redirect is not followed, since it would hand the key to another server', async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    response.writeHead(302, { location: request.url === '/' ? '/auth/api/admin/other' : '/' }).end();
  });
  const port = await listen(server);
  await assert.rejects(new Admin(`http://localhost:${port}`, 'key').get('people'), { status: 302 });
  assert.equal(asked, 1);
  server.closeAllConnections();
  server.close();
});

test('a limit is waited for a minute at most, and an answer that is no JSON is not asked for again', async (t) => {
  /** @type {[number, Record<string, string>, string][]} */
  const answers = [];
  /** @type {number[]} */
  const asked = [];
  const server = createServer((_, response) => {
    asked.push(performance.now());
    const [status, headers, body] = answers.shift() ?? [200, {}, '{}'];
    response.writeHead(status, headers).end(body);
  });
  const client = new Admin(`http://localhost:${await listen(server)}`, 'key');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const refused = '{"code":"throttle.limited"}';

  answers.push([429, { 'retry-after': '3600' }, refused]);
  await assert.rejects(client.get('people'), { status: 429, code: 'throttle.limited', retryAfter: 3600 });
  assert.equal(asked.length, 1);

  answers.push([200, { 'content-type': 'text/csv' }, 'at,event']);
  await assert.rejects(client.get('record.csv'), SyntaxError);
  assert.equal(asked.length, 2);

  answers.push([429, { 'retry-after': new Date().toUTCString() }, refused]);
  await client.get('people');
  const [, , first = 0, again = 0] = asked;
  assert.ok(again - first > 400, `a limit until a date is waited for ${again - first} ms`);
});

test('a request of a node that was killed is waited for, and carried out after a minute', async (t) => {
  const client = new Admin('http://localhost:1', 'key');
  const running = { status: 409, headers: { 'retry-after': '1' } };
  let held = 60_000;
  let waited = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    if (waited === 0) throw new TypeError('fetch failed');
    return waited < held ? Response.json({ code: 'idempotency.running' }, running) : Response.json({});
  });
  t.mock.method(globalThis, 'setTimeout', (/** @type {() => void} */ done, /** @type {number} */ pause) => {
    waited += pause;
    queueMicrotask(done);
  });
  await client.change('people/1/link');
  held = Number.POSITIVE_INFINITY;
  waited = 0;
  await assert.rejects(client.change('people/1/link'), { status: 409, code: 'idempotency.running' });
  assert.ok(waited < 120_000, `it has waited for ${waited} ms`);
});

test('a signal ends a request, and the wait for the next one', { timeout: 20_000 }, async (t) => {
  const client = new Admin('http://localhost:1', 'key');
  const stop = new AbortController();
  const busy = { status: 429, headers: { 'retry-after': '60' } };
  const sent = t.mock.method(globalThis, 'fetch', async () => {
    setTimeout(() => stop.abort(new Error('the app stops')));
    return Response.json({ code: 'throttle.limited' }, busy);
  });
  await assert.rejects(client.change('people/1/link', {}, { signal: stop.signal }), /the app stops/);
  assert.equal(sent.mock.callCount(), 1);
  sent.mock.restore();
  const { signal } = stop;
  const half = t.mock.method(globalThis, 'fetch', async () => {
    return new Response(new ReadableStream({ start: (body) => body.error(signal.reason) }), { status: 404 });
  });
  await assert.rejects(client.get('people', {}, { signal }), /the app stops/);
  const none = /** @type {{ signal: AbortSignal | undefined }} */ ({ signal: undefined });
  await assert.rejects(client.get('people', {}, none), { status: 404 });
  half.mock.restore();
  await assert.rejects(client.get('people', {}, { signal }), /the app stops/);
  await assert.rejects(client.pages('people', {}, { signal }).next(), /the app stops/);
});

test('the key goes to the admin API alone, by a path without a query', async () => {
  const client = new Admin('http://localhost:1', 'key');
  const elsewhere = ['https://other.example/', '//other.example/', '../session', '\\\\other.example'];
  const refused = { name: 'TypeError', message: /is no path below/ };
  for (const path of [
    ...elsewhere,
    'people/..%2f..%2fshop',
    'people/%2e%2E/x',
    'people?role=left',
    'people#left',
  ]) {
    await assert.rejects(client.get(path), refused, path);
    await assert.rejects(client.change(path), refused, path);
  }
  assert.throws(() => new Admin('http://auth.example.com', 'key'), /must begin with https/);
});
