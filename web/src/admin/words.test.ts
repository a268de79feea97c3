import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

vi.stubGlobal('document', { getElementById: () => null });
vi.stubGlobal('location', { pathname: '/auth/admin/people' });

const go = (path: string) => readFileSync(new URL(`../../../internal/${path}`, import.meta.url), 'utf8');

/** The values of the constants of a type. */
const constants = (path: string, type: string) =>
  Array.from(go(path).matchAll(new RegExp(`\\w+\\s+${type} = "([^"]+)"`, 'g')), ([, value]) => value ?? '');

test('words stand for codes that the server has', async () => {
  const { WORDS } = await import('./api');
  const texts = JSON.parse(readFileSync(new URL('../i18n/messages/en.json', import.meta.url), 'utf8'));
  const ofFailures = ['offline', 'unreachable', 'timeout', 'down', 'blocked'];
  const invented = Object.keys(WORDS).filter((code) => !ofFailures.includes(code) && !texts[`error.${code}`]);
  expect(invented).toEqual([]);
});

test('each use of another address has words', async () => {
  const { USES } = await import('./person');
  expect(Object.keys(USES).toSorted()).toEqual(constants('account/other.go', 'Use').toSorted());
});

test('each proof of a sign-in has words', async () => {
  const { methodWords } = await import('./person-lists');
  const [proofs = ''] = /Methods .*/.exec(go('session/session.go')) ?? [];
  const methods = Array.from(proofs.matchAll(/"([^"]+)"/g), ([, method]) => method ?? '');
  expect(methods.length).toBeGreaterThan(6);
  expect(methods.filter((method) => /[_:]/.test(methodWords(method)))).toEqual([]);
});

test('an email that will not arrive is a failure', async () => {
  const { mailFailed } = await import('./words');
  const states = constants('outbox/outcome.go', 'State');
  expect(states.filter(mailFailed)).toEqual(['given up', 'too late']);
});
