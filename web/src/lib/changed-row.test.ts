import { expect, test } from 'vitest';
import { changedRow } from './changed-row';

test.each([
  ['one is added at the end', [1, 2], [1, 2, 3], 2, false],
  ['one is added at the beginning', [1, 2], [3, 1, 2], 0, false],
  ['the first of all', [], [1], 0, false],
  ['one has another name', [1, 2, 3], [1, 4, 3], 1, false],
  ['two change places', [1, 2], [2, 1], 0, false],
  ['one is removed', [1, 2, 3], [1, 3], 1, true],
  ['the last one is removed', [1, 2, 3], [1, 2], 1, true],
  ['one of several that look the same is removed', [1, 2, 2], [1, 2], 1, true],
  ['the only one is removed', [1], [], -1, true],
  ['nothing has changed', [1, 2], [1, 2], -1, false],
])('%s', (_, before, after, at, gone) => {
  expect(changedRow(before, after)).toEqual({ at, gone });
});
