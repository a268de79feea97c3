import { expect, test } from 'vitest';
import { parseProblem } from './problem';

test('a problem document is read whole', () => {
  const body = {
    type: 'about:blank',
    status: 422,
    code: 'invalid',
    params: { count: 3 },
    fields: [{ name: 'email', code: 'address.invalid', params: {} }],
    retry_after: 30,
    request_id: 'r1',
  };
  expect(parseProblem(body, 422, null)).toEqual({
    status: 422,
    code: 'invalid',
    params: { count: '3' },
    fields: [{ name: 'email', code: 'address.invalid', params: {} }],
    retry_after: 30,
    request_id: 'r1',
  });
});

test.each([
  null,
  undefined,
  'text',
  7,
  [],
  { fields: 'x', params: 1, retry_after: -1, code: {} },
  { fields: [null, 3] },
])('whatever else comes (%j) is a problem without words', (body) => {
  const problem = parseProblem(body, 502, null);
  expect(problem).toMatchObject({ status: 502, code: '', params: {}, retry_after: 0, request_id: '' });
  for (const field of problem.fields) expect(field).toEqual({ name: '', code: '', params: {} });
});

test('the Retry-After header stands in for a missing member', () => {
  expect(parseProblem({}, 503, '12').retry_after).toBe(12);
  expect(parseProblem({}, 503, 'Fri, 31 Dec 1999 23:59:59 GMT').retry_after).toBe(0);
});
