import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';
import { portOf } from './port.js';
import { PROVIDER } from './portico.js';

/** The provider's claims about a user, without the subject. */
export interface Claims {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/**
 * A third-party identity provider (oidc-provider, certified). Typing a login
 * name signs in as that user. It does not ask for consent.
 */
export class IdentityProvider {
  readonly issuer: string;
  /** The path that answers with 503; "" for none. */
  breaksAt = '';
  readonly #people = new Map<string, Claims>();
  readonly #sites: string[] = [];
  readonly #server: Server;
  #provider: Provider | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${portOf(server)}`;
  }

  static async start(): Promise<IdentityProvider> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const self = new IdentityProvider(server);
    server.on('request', (request, response) => void self.#answer(request, response));
    return self;
  }

  /** Lets one more site use the provider. It serves from the first one on. */
  serve(site: string): void {
    this.#sites.push(site);
    this.#provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: PROVIDER.clientId,
          client_secret: PROVIDER.clientSecret,
          redirect_uris: this.#sites.map((each) => `${each}/auth/provider/${PROVIDER.id}/callback`),
        },
      ],
      cookies: { keys: ['only for tests'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...this.#people.get(id) }) }),
      loadExistingGrant: async ({ oidc }) => {
        const { client, session, provider } = oidc;
        if (!client || !session?.accountId) return undefined;
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
  }

  /** Registers a user with the provider. */
  knows(login: string, claims: Claims): void {
    this.#people.set(login, claims);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#provider || request.url === this.breaksAt) {
      response.writeHead(503).end('out of order');
      return;
    }
    if (!request.url?.startsWith('/interaction/')) return this.#provider.callback()(request, response);
    if (request.method !== 'POST') return page(response, this.#sites);
    const form = new URLSearchParams(await text(request));
    const cancelled = { error: 'access_denied', error_description: 'the person turned back' };
    const login = { login: { accountId: form.get('login') ?? '' } };
    await this.#provider.interactionFinished(request, response, form.has('cancel') ? cancelled : login);
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }
}

/** The provider's sign-in page, as strict as real ones: no script, and its form leads to the sites that it knows. */
function page(response: ServerResponse, sites: string[]): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; form-action 'self' ${sites.join(' ')}`,
    'referrer-policy': 'no-referrer',
  });
  response.end(`<!doctype html><html lang="en"><title>Acme</title><h1>Sign in to Acme</h1>
<form method="post"><label>Login <input name="login"></label>
<button>Sign in</button> <button name="cancel" value="yes">Cancel</button></form></html>`);
}
