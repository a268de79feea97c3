import { expect, test } from 'vitest';
import { intendedAddress } from './mistyped';

test.each([
  ['mara@gmial.com', 'mara@gmail.com'],
  ['mara@gmail.con', 'mara@gmail.com'],
  ['mara@gmail.co', 'mara@gmail.com'],
  ['mara@gamil.cm', 'mara@gmail.com'],
  ['Mara.M@GMALL.com', 'Mara.M@gmail.com'],
  ['mara@hotmial.com', 'mara@hotmail.com'],
  ['mara@yaho.com', 'mara@yahoo.com'],
  ['mara@outlok.de', 'mara@outlook.de'],
  ['mara@icluod.com', 'mara@icloud.com'],
  ['mara@gxm.de', 'mara@gmx.de'],
  ['mara@wbe.de', 'mara@web.de'],
  ['mara@t-onlin.de', 'mara@t-online.de'],
  ['"a@b"@gmal.com', '"a@b"@gmail.com'],
])('%s probably means %s', (typed, meant) => {
  expect(intendedAddress(typed)).toBe(meant);
});

test.each([
  'mara@gmail.com', // right
  'mara@GMail.com',
  'mara@mail.com', // domains of their own, a letter away from a common one
  'mara@ymail.com',
  'mara@email.com',
  'mara@cloud.com',
  'mara@online.de',
  'mara@yahoo.fr', // another country of the same provider
  'mara@outlook.dk',
  'mara@gmx.at',
  'mara@gmx.ch',
  'mara@gm.com', // short names are near to many
  'mara@wdr.de',
  'mara@example.com',
  'gmial.com', // no address yet
  '@gmial.com',
  'mara@',
  '',
])('%j is left alone', (typed) => {
  expect(intendedAddress(typed)).toBe('');
});
