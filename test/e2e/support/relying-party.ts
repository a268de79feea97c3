import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as oidc from 'openid-client';
import { portOf } from './port.js';

const SECRET = 'a secret of the relying party in the journeys';

/** An OpenID client that others wrote (openid-client), as an app with one user. */
export class RelyingParty {
  readonly origin: string;
  /** Logout tokens that Portico has sent. */
  readonly told: string[] = [];
  /** Where the user goes after signing in or out; the app's own page unless another origin is named. */
  onward = '';
  readonly #server: Server;
  #config: oidc.Configuration | undefined;
  #pending = { verifier: '', state: '', nonce: '' };
  #tokens: (oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${portOf(server)}`;
    server.on('request', (request, response) => {
      this.#answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
    });
  }

  static async start(): Promise<RelyingParty> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RelyingParty(server);
  }

  /** The table of portico.toml that registers the app. */
  get settings(): string {
    return `[[client]]
id = "notes"
name = "Notes"
secret = "${SECRET}"
redirect_uris = ["${this.origin}/cb"]
post_logout_redirect_uris = ["${this.origin}/bye"]
backchannel_logout_uri = "${this.origin}/told"
consent = true
`;
  }

  async serve(issuer: string): Promise<void> {
    this.#config = await oidc.discovery(new URL(issuer), 'notes', SECRET, undefined, {
      execute: [oidc.allowInsecureRequests],
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const config = this.#config;
    if (!config) throw new Error('serve() comes first');
    const url = new URL(request.url ?? '/', this.origin);
    const to = (target: URL | string) => response.writeHead(303, { location: String(target) }).end();
    switch (url.pathname) {
      case '/signin':
        return void to(await this.#begin(config));
      case '/cb':
        await this.#finish(config, url);
        return void to(this.onward || '/');
      case '/refresh':
        this.#tokens = await oidc.refreshTokenGrant(config, this.#tokens?.refresh_token ?? '');
        return void to('/');
      case '/signout':
        return void to(
          oidc.buildEndSessionUrl(config, {
            id_token_hint: this.#tokens?.id_token ?? '',
            post_logout_redirect_uri: `${this.origin}/bye`,
            state: 'left',
          }),
        );
      case '/told': {
        let body = '';
        for await (const part of request) body += part;
        this.told.push(new URLSearchParams(body).get('logout_token') ?? '');
        this.#tokens = undefined;
        return void response.writeHead(200).end();
      }
      case '/bye':
        this.#tokens = undefined; // it may return before it is told
        if (this.onward) return void to(this.onward);
        break;
      case '/favicon.ico':
        return void response.writeHead(204).end();
    }
    const user = await this.#user(config);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Notes</title><h1>Notes of ${user}</h1><p>${encodeURI(url.search)}`,
    );
  }

  async #begin(config: oidc.Configuration): Promise<URL> {
    this.#pending = {
      verifier: oidc.randomPKCECodeVerifier(),
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
    };
    return oidc.buildAuthorizationUrl(config, {
      redirect_uri: `${this.origin}/cb`,
      scope: 'openid email',
      code_challenge: await oidc.calculatePKCECodeChallenge(this.#pending.verifier),
      code_challenge_method: 'S256',
      state: this.#pending.state,
      nonce: this.#pending.nonce,
    });
  }

  async #finish(config: oidc.Configuration, url: URL): Promise<void> {
    const { verifier, state, nonce } = this.#pending;
    this.#tokens = await oidc.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
  }

  /** The address of the user by UserInfo. */
  async #user(config: oidc.Configuration): Promise<string> {
    const sub = this.#tokens?.claims()?.sub;
    if (!this.#tokens || !sub) return 'no user';
    const info = await oidc.fetchUserInfo(config, this.#tokens.access_token, sub);
    return `${info.email}`;
  }

  /** The newest access token. */
  get access(): string {
    return this.#tokens?.access_token ?? '';
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }
}
