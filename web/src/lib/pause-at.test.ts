import { expect, test } from 'vitest';
import { pauseAt } from './pause-at';

test('a page looks at its flow at least every four seconds, and no more than once a second', () => {
  for (let age = 0; age <= 600; age++) {
    expect(pauseAt(age), `after ${age} s`).toBeGreaterThanOrEqual(1);
    expect(pauseAt(age), `after ${age} s`).toBeLessThanOrEqual(4);
  }
});
