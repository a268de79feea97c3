// An app with openid-client at the origin HERE, which pushes its requests.
import express from 'express';
import * as oidc from 'openid-client';

const { ISSUER, HERE, SECRET } = process.env;
const config = await oidc.discovery(new URL(`${ISSUER}/`), 'openid-client', SECRET, undefined, {
  execute: [oidc.allowInsecureRequests],
});
const [verifier, state] = [oidc.randomPKCECodeVerifier(), oidc.randomState()];
const app = express();
app.get('/login', async (_request, response) => {
  const target = await oidc.buildAuthorizationUrlWithPAR(config, {
    redirect_uri: `${HERE}/callback`,
    scope: 'openid profile email offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  response.redirect(target.href);
});
app.get('/callback', async (request, response) => {
  const first = await oidc.authorizationCodeGrant(config, new URL(request.originalUrl, HERE), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  const next = await oidc.refreshTokenGrant(config, first.refresh_token);
  const user = await oidc.fetchUserInfo(config, next.access_token, first.claims().sub);
  await oidc.tokenRevocation(config, next.refresh_token);
  response.json({ Subject: user.sub, Name: user.name, Email: user.email, Access: next.access_token, ID: first.id_token });
});
app.get('/', (_request, response) => response.send('the app'));
app.listen(new URL(HERE).port, '127.0.0.1');
