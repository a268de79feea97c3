import { secureOrigin } from './origin.js';

const TRIES = 5;
const ANSWER_TIME = 30_000;
const LONGEST_PAUSE = 60; // seconds: as long as the limit of requests, and as a node that was killed holds an Idempotency-Key
const RUNNING = 'idempotency.running';

/** @type {typeof import('./admin.d.ts').Problem} */
export const Problem = class extends Error {
  name = 'Problem';
  status;
  code;
  fields;
  requestId;

  /** @param {number} status @param {Record<string, any>} body */
  constructor(status, body) {
    const fields = body['fields'] ?? [];
    const named = fields.map((/** @type {any} */ field) => `, the field ${field.name}: ${field.code}`);
    super(`Portico refuses this: ${body['title'] ?? ''} (${body['code'] ?? status})${named.join('')}`);
    this.status = status;
    this.code = body['code'] ?? '';
    this.fields = fields;
    this.requestId = body['request_id'] ?? '';
  }
};

/** @type {typeof import('./admin.d.ts').Admin} */
export const Admin = class {
  #root;
  #key;

  /** @param {string} publicUrl @param {string} key */
  constructor(publicUrl, key) {
    this.#root = new URL('/auth/api/admin/', secureOrigin(publicUrl, 'read the key'));
    this.#key = key;
  }

  /** @param {string} path @param {Record<string, string>} [query] */
  async get(path, query = {}) {
    const url = this.#urlOf(path);
    url.search = String(new URLSearchParams(query));
    return await this.#send(url, {});
  }

  /** @param {string} path @param {object} [body] */
  async change(path, body = {}) {
    return await this.#send(this.#urlOf(path), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'idempotency-key': `"${crypto.randomUUID()}"` },
    });
  }

  /** @param {string} path @param {Record<string, string>} [query] */
  async *pages(path, query = {}) {
    for (let after = query['after'] ?? ''; ; ) {
      const page = await this.get(path, after ? { ...query, after } : query);
      yield page;
      after = page.next;
      if (!after) return;
    }
  }

  /** The address of a path, which gets the key. @param {string} path */
  #urlOf(path) {
    const url = new URL(path, this.#root);
    if (!url.href.startsWith(this.#root.href) || url.search || url.hash)
      throw new TypeError(`${path} is no path below ${this.#root.href}`);
    return url;
  }

  /** Sends a request until it is answered for good. @param {URL} url @param {RequestInit} request */
  async #send(url, request) {
    for (let tries = 0, waited = 0; ; ) {
      try {
        return await this.#once(url, request);
      } catch (error) {
        const answered = error instanceof Problem || error instanceof SyntaxError; // the answer is no JSON
        const again = error instanceof Again ? error.seconds : answered ? -1 : 0;
        const said = error instanceof Again ? error.cause : error;
        const running = said instanceof Problem && said.code === RUNNING;
        if (!running || waited >= LONGEST_PAUSE) tries++;
        if (again < 0 || again > LONGEST_PAUSE || tries === TRIES) throw said;
        const pause = Math.max(again, 2 ** tries / 4);
        await new Promise((done) => setTimeout(done, 1000 * pause));
        waited += pause;
      }
    }
  }

  /** @param {URL} url @param {RequestInit} request */
  async #once(url, request) {
    const response = await fetch(url, {
      ...request,
      headers: { ...request.headers, accept: 'application/json', authorization: `Bearer ${this.#key}` },
      redirect: 'manual', // a redirect would hand the key to another server
      signal: AbortSignal.timeout(ANSWER_TIME),
    });
    if (response.ok) return await response.json();
    const refused = new Problem(response.status, await response.json().catch(() => ({})));
    if (response.status === 429 || response.status >= 500 || refused.code === RUNNING)
      throw new Again(Number(response.headers.get('retry-after')) || 0, { cause: refused });
    throw refused;
  }
};

/** The request can be sent again after some seconds. */
class Again extends Error {
  seconds;

  /** @param {number} seconds @param {ErrorOptions} options */
  constructor(seconds, options) {
    super('again', options);
    this.seconds = seconds;
  }
}
