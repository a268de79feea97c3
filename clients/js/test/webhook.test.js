// The reference library of Standard Webhooks takes the signatures of Portico. The values are those that
// internal/signature/signature_test.go expects of Portico.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Webhook } from 'standardwebhooks';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature':
    'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

test('the reference library verifies an event, also with two secrets', (t) => {
  mock.timers.enable({ apis: ['Date'], now: 1614265330_000 });
  t.after(() => mock.timers.reset());
  assert.deepEqual(new Webhook(secret).verify(body, headers), { test: 2432232314 });
  assert.throws(() => new Webhook(secret).verify(body.replace('2', '3'), headers));
  assert.throws(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'msg_other' }));
  mock.timers.setTime(1614265330_000 + 10 * 60_000);
  assert.throws(() => new Webhook(secret).verify(body, headers), /too old/);
});
