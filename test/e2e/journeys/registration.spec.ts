import { once } from 'node:events';
import { createServer } from 'node:http';
import * as oidc from 'openid-client';
import { portOf } from '../support/port.js';
import { button, expectScreen, fillSignIn } from '../support/screen.js';
import { expect, test } from '../support/test.js';

const OPEN = `[openid]
registration = true
`;

test('an app registers itself, signs a user in, and goes', async ({ page, world }) => {
  const portico = await world.anotherPortico({ settings: OPEN });
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  let answer = '';
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/cb?'))
      return response.end(
        '<!doctype html><link rel="icon" href="data:,"><title>App</title><p>Back in the app',
      );
    answer = request.url;
    return response.writeHead(303, { location: '/' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const back = `http://127.0.0.1:${portOf(server)}/cb`;
  const metadata = { redirect_uris: [back], client_name: 'Your Bank', scope: 'openid email' };
  const registers = (initialAccessToken: string) =>
    oidc.dynamicClientRegistration(new URL(portico.origin), metadata, undefined, {
      initialAccessToken,
      execute: [oidc.allowInsecureRequests],
    });
  const token = portico.command(['client', 'token', 'new']).trim().split('\n').at(-1) ?? '';
  const app = await registers(token);
  const told = app.clientMetadata();
  expect(told.client_id).toMatch(/^registered-.+-127\.0\.0\.1$/);
  expect(portico.command(['client', 'list'])).toContain(told.client_id);
  await expect(registers(token)).rejects.toThrow(); // it was for one app

  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const target = oidc.buildAuthorizationUrl(app, {
    redirect_uri: back,
    scope: 'openid email',
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  await page.goto(target.href);
  await expectScreen(page, 'Sign in');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expectScreen(page, 'Continue to 127.0.0.1?');
  await expect(page.getByText("This app isn't registered with this site.")).toBeVisible();
  await expect(page.getByText('Your Bank')).toHaveCount(0);
  await button(page, 'Continue').click();
  await expect(page.getByText('Back in the app')).toBeVisible();
  const tokens = await oidc.authorizationCodeGrant(app, new URL(answer, back), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  const user = await oidc.fetchUserInfo(app, tokens.access_token, tokens.claims()?.sub ?? '');
  expect(user.email).toBe(person.email);

  const own = String(told['registration_client_uri']);
  const headers = { Authorization: `Bearer ${String(told['registration_access_token'])}` };
  expect(await (await fetch(own, { headers })).json()).toMatchObject({ client_id: told.client_id });
  expect((await fetch(own, { method: 'DELETE', headers })).status).toBe(204);
  await expect(oidc.fetchUserInfo(app, tokens.access_token, user.sub)).rejects.toThrow();
  await page.goto(target.href);
  await expectScreen(page, "We couldn't complete your request");
  server.close();
});
