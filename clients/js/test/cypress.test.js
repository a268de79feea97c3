// The commands of Cypress, whose program these tests do not have: its cy.request is a stand-in that keeps what is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';

test('the commands send the requests of portico dev', async () => {
  /** @type {Record<string, (...input: any[]) => any>} */
  let commands = {};
  /** @type {any[]} */
  const sent = [];
  Object.assign(globalThis, {
    Cypress: { Commands: { addAll: (/** @type {typeof commands} */ all) => (commands = all) } },
    cy: { request: (/** @type {any} */ request) => ({ its: () => sent.push(request) }) },
  });
  await import('portico-client/cypress');
  commands['signIn']?.({ roles: ['admin'] });
  commands['signIn']?.();
  commands['nextMail']?.('a@example.com', { wait: 5 });
  commands['nextMail']?.({ email: 'a@example.com', mail: 7 });
  commands['nextMail']?.({ to: ['a@example.com'], number: 8 });
  commands['moveClock']?.('1d');
  commands['providerAnswers']?.({ fails: 'cancelled' });
  const root = '/auth/api/dev/';
  assert.deepEqual(
    sent.map(({ method, url, body }) => [method, url, body]),
    [
      ['POST', `${root}session`, { roles: ['admin'] }],
      ['POST', `${root}session`, {}],
      ['GET', `${root}mail?to=a%40example.com&after=0&wait=5`, undefined],
      ['GET', `${root}mail?to=a%40example.com&after=7&wait=10`, undefined],
      ['GET', `${root}mail?to=a%40example.com&after=8&wait=10`, undefined],
      ['POST', `${root}clock`, { forward: '1d' }],
      ['POST', `${root}provider`, { fails: 'cancelled' }],
    ],
  );
  assert.deepEqual(
    sent.map(({ timeout }) => timeout),
    [30_000, 30_000, 35_000, 40_000, 40_000, 30_000, 30_000],
  );
  for (const { headers } of sent) assert.equal(headers['sec-fetch-site'], 'same-origin');
});
