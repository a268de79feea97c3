import { expect, test } from 'vitest';
import { codeIn, completeCodeIn } from './code';

test.each([
  ['123456', '123456'],
  ['123 456', '123456'],
  ['123-456', '123456'],
  ['123–456', '123456'],
  ['Your code is 123 456', '123456'],
  ['Your code is 123456. It works for 10 minutes.', '123456'],
  ['Portico 2: 123456', '123456'],
  ['Order 4711, code 123-456', '123456'],
  ['１２３４５６', '123456'],
  ['١٢٣٤٥٦', '123456'],
  ['१२३४५६', '123456'],
  ['𝟏𝟐𝟑𝟒𝟓𝟔', '123456'],
  ['12a3456', '123456'],
  ['1 2 3 4 5 6', '123456'],
  ['1234567', '123456'],
  ['000000', '000000'],
  ['12', '12'],
  ['no digits', ''],
  ['', ''],
])('%j holds %j', (text, code) => {
  expect(codeIn(text)).toBe(code);
});

test.each([
  ['12345678', 8, 8, '12345678'],
  ['1234 5678', 8, 8, '12345678'],
  ['123 4567', 7, 7, '1234567'],
  ['Order 4711: 1234-5678', 8, 8, '12345678'],
  ['Your code is 123456', 8, 8, '123456'],
  ['Your code is 123 456', 6, 8, '123456'],
  ['1234567', 6, 8, '1234567'],
])('%j holds %d to %d digits', (text, shortest, longest, code) => {
  expect(codeIn(text, { shortest, longest })).toBe(code);
});

test('an incomplete code is no complete one', () => {
  expect(completeCodeIn('Your code is 123')).toBe('');
});
