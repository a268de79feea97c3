import { expect, test } from 'vitest';
import { containsAddress, lengthOf, strengthOf } from './strength';

test.each([
  ['aaaaaaaaaaaa', 'weak'],
  ['12345678', 'weak'],
  ['qwertyuiop', 'weak'],
  ['Passw0rd', 'weak'],
  ['x'.repeat(300), 'weak'],
  ['ab12'.repeat(20), 'weak'],
  ['password123', 'weak'],
  ['Welcome2024!', 'weak'],
  ['qwerty-123456', 'weak'],
  ['my admin likes lemons', 'strong'], // a stem in the middle of something else
  ['tram-lemon', 'fair'],
  ['correct horse', 'good'],
  ['correct horse battery staple', 'strong'],
])('%j looks %s', (password, strength) => {
  expect(strengthOf(password)).toBe(strength);
});

test('characters are counted as people see them', () => {
  expect(lengthOf('u\u0308ber')).toBe(4);
  expect(lengthOf('🔑🔑')).toBe(2);
});

test.each([
  ['xMARAx!', 'mara@example.com', true],
  ['something else', 'mara@example.com', false],
  ['ab12', 'ab@example.com', false], // too short a name to mean anything
  ['ab@example.com', 'ab@example.com', true],
  ['any@thing', '', false],
])('%j contains %j: %s', (password, address, contains) => {
  expect(containsAddress(password, address)).toBe(contains);
});
