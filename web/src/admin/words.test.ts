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
  const { methodWords } = await import('./words');
  const [proofs = ''] = /Methods .*/.exec(go('session/session.go')) ?? [];
  const methods = Array.from(proofs.matchAll(/"([^"]+)"/g), ([, method]) => method ?? '');
  expect(methods.length).toBeGreaterThan(6);
  expect(methods.filter((method) => /[_:]/.test(methodWords(method)))).toEqual([]);
});

test('a sign-in in the record names its proofs', async () => {
  const { detailWords } = await import('./words');
  expect(detailWords('signed_in', 'operator_link,totp')).toBe(
    'link from an administrator, authenticator app',
  );
  expect(detailWords('proof_given', 'provider:google')).toBe('provider google');
  expect(detailWords('factor_removed', 'totp,alarm')).toBe('authenticator app, alarm');
  expect(detailWords('mail_sent_again', 'signin-blocked')).toBe('Sign-in paused');
  expect(detailWords('mail_dropped', 'signin-blocked')).toBe('Sign-in paused');
  expect(detailWords('roles_changed', 'a_b,c-d')).toBe('a_b,c-d');
  expect(detailWords('account_disabled', 'erased,waiting')).toBe(
    'to be erased after 14 days, waited for an approval',
  );
  expect(detailWords('api_key_ended', 'HR import, old_secret')).toBe('HR import, the old secret only');
});

test('words stand for emails that the server sends', async () => {
  const { MAILS, mailWords } = await import('./words');
  const sources = go('flow/mail.go') + go('outbox/outbox.go');
  const templates = Array.from(
    sources.matchAll(/(?:mail\w+|LogoutTemplate)\s+= "([^"]+)"/g),
    ([, name]) => name,
  );
  expect(Object.keys(MAILS).filter((name) => !templates.includes(name))).toEqual([]);
  expect(mailWords('signin-blocked')).toBe('Sign-in paused');
  expect(mailWords('factor-added')).toBe('Factor added');
});

test('an email that will not arrive is a failure', async () => {
  const { mailFailed } = await import('./words');
  const states = constants('outbox/outcome.go', 'State');
  expect(states.filter(mailFailed)).toEqual(['given up', 'too late']);
});
