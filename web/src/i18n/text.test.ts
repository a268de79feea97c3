import { expect, test } from 'vitest';
import { createText } from './text';

const text = createText('en', {
  'common.wait.seconds': { one: '{count} second', other: '{count} seconds' },
  'common.wait.minutes': { one: '{count} minute', other: '{count} minutes' },
  'common.wait.hours': { one: '{count} hour', other: '{count} hours' },
  'common.continue_with': 'Continue with {provider}',
  'error.code.wrong': { one: '{count} try left.', other: '{count} tries left.' },
  'error.throttle.limited': 'Try again in {wait}.',
  'error.password.guessable': 'Easy to guess: {reason}',
  'error.password.guessable.common': 'many people use it',
  'error.session.ended': 'You were signed out because {reason}',
  'error.session.ended.other': 'your session was ended.',
});

test('placeholders are filled, braces in a value stay text', () => {
  expect(text.t('common.continue_with', { provider: '{x} & Co' })).toBe('Continue with {x} & Co');
});

test.each([
  ['1', '1 try left.'],
  ['3', '3 tries left.'],
  ['\uE000.count\uE001', '\uE000.count\uE001 tries left.'],
])('the plural form follows count %j', (count, words) => {
  expect(text.fault('code.wrong', { count })).toBe(words);
});

test.each([
  [0.4, 'Try again in 1 second.'],
  [30, 'Try again in 30 seconds.'],
  [90, 'Try again in 2 minutes.'],
  [7200, 'Try again in 2 hours.'],
])('%d seconds are said as a person would', (seconds, words) => {
  expect(text.fault('throttle.limited', {}, Math.ceil(seconds))).toBe(words);
});

test('a reason is worded by its own key', () => {
  expect(text.fault('password.guessable', { reason: 'common' })).toBe('Easy to guess: many people use it');
});

test('a reason of a later version has neutral words', () => {
  expect(text.fault('session.ended', { reason: 'eclipse' })).toBe(
    'You were signed out because your session was ended.',
  );
});

test('a code without words says so', () => {
  expect(text.fault('brand.new')).toBeUndefined();
});
