import { expect, test } from 'vitest';
import { timeWords } from './local-times';

const now = new Date(2026, 10, 26, 14, 0);
const plain = (text: string) => text.replaceAll('\u202f', ' ');

test.each([
  [new Date(2026, 10, 26, 6, 5), 'today, 6:05 AM', 'Today'],
  [new Date(2026, 10, 25, 23, 59), 'yesterday, 11:59 PM', 'Yesterday'],
  [new Date(2026, 10, 27, 0, 1), 'tomorrow, 12:01 AM', 'Tomorrow'],
  [new Date(2026, 10, 24, 6, 5), 'Nov 24, 6:05 AM', 'Tuesday, November 24'],
  [new Date(2025, 10, 26, 6, 5), 'Nov 26, 2025, 6:05 AM', 'Wednesday, November 26, 2025'],
])('%s is %s, in the group %s', (at, short, day) => {
  const words = timeWords('en', now);
  expect(plain(words.short(at))).toBe(short);
  expect(words.day(at)).toBe(day);
});

test('every locale has its own words', () => {
  const at = new Date(2026, 10, 26, 6, 5);
  const words = ['de', 'fr', 'es', 'ar'].map((locale) => timeWords(locale, now).short(at));
  expect(words.map((text) => text.replace(/[,،].*/, ''))).toEqual(['heute', 'aujourd’hui', 'hoy', 'اليوم']);
});
