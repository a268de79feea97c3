// Serves oidc-provider, an OpenID provider, with one client, in memory: the benchmark compares Portico with it.
// Any login is accepted. It is installed by test/e2e, which uses it as an external provider.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [port, clientId, secret, callback] = process.argv.slice(2);
const installed = createRequire(resolve('test/e2e/package.json')).resolve('oidc-provider');
const { default: Provider } = await import(pathToFileURL(installed));

const scopes = 'openid profile email';
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: clientId,
      client_secret: secret,
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
    },
  ],
  jwks: {
    keys: [
      { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' },
    ],
  },
  cookies: { keys: ['only for the benchmark'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'] },
  issueRefreshToken: () => true,
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@bench.test`, email_verified: true, preferred_username: id }),
  }),
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  // Consent is given beforehand, and one grant serves all flows of a session.
  async loadExistingGrant(ctx) {
    const { session, client, provider: here } = ctx.oidc;
    const known = session.grantIdFor(client.clientId);
    if (known) return here.Grant.find(known);
    const grant = new here.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope(scopes);
    await grant.save();
    return grant;
  },
});

const answer = provider.callback();
createServer(async (request, response) => {
  const login = /^\/interaction\/[^?]+\?(\w+)$/.exec(request.url);
  if (!login) return answer(request, response);
  await provider.interactionFinished(request, response, { login: { accountId: login[1] } });
}).listen(Number(port), '127.0.0.1', () => console.log(`127.0.0.1:${port}`));
