import { once } from 'node:events';
import { createServer } from 'node:http';

const ES256 = { name: 'ECDSA', namedCurve: 'P-256' };
const b64 = (/** @type {string | ArrayBuffer} */ data) =>
  (typeof data === 'string' ? Buffer.from(data) : Buffer.from(data)).toString('base64url');

export const PUBLIC_URL = 'https://portico.test';

/** Publishes keys and signs tokens, as Portico does, with whatever a test wants to be wrong. */
export class StandIn {
  /** @type {{ kid: string, privateKey: CryptoKey, jwk: JsonWebKey & Record<string, unknown> }[]} */
  keys = [];
  fetches = 0;
  status = 200;
  /** @type {string | null} in place of the set */
  body = null;
  address = '';
  #made = 0;
  #server = createServer((request, response) => {
    this.fetches += 1;
    this.host = request.headers.host;
    response.statusCode = this.status;
    response.end(this.body ?? JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }));
  });

  /** @type {string | undefined} */
  host;

  static async start() {
    const standIn = new StandIn();
    await standIn.rotate();
    standIn.#server.listen(0, '127.0.0.1');
    await once(standIn.#server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (standIn.#server.address());
    standIn.address = `http://127.0.0.1:${port}`;
    return standIn;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async rotate() {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify']);
    this.#made += 1;
    const kid = `key-${this.#made}`;
    const jwk = { ...(await crypto.subtle.exportKey('jwk', publicKey)), kid, alg: 'ES256', use: 'sig' };
    this.keys.push({ kid, privateKey, jwk });
  }

  /**
   * Claims or header members that are undefined are left out. edit changes the written parts.
   * @param {Record<string, unknown>} [claims] @param {Record<string, unknown>} [header] @param {(json: string, part: 'head' | 'body') => string} [edit]
   */
  async token(claims = {}, header = {}, edit = (json) => json) {
    const key = this.keys.at(-1);
    if (!key) throw new Error('there is no key');
    const now = Math.floor(Date.now() / 1000);
    const head = b64(edit(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: key.kid, ...header }), 'head'));
    const claimed = JSON.stringify({
      iss: PUBLIC_URL,
      aud: 'app',
      sub: 'mara',
      sid: 's1',
      email: 'mara@example.com',
      name: 'Mära Lind',
      roles: ['admin'],
      amr: ['password'],
      auth_time: 1_777_863_721,
      iat: now,
      exp: now + 300,
      ...claims,
    }).replace(/"@([^"]*)"/g, '$1'); // '@1e400' is a number that JavaScript does not write
    const body = b64(edit(claimed, 'body'));
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      key.privateKey,
      Buffer.from(`${head}.${body}`),
    );
    return `${head}.${body}.${b64(signature)}`;
  }
}
