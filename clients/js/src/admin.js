import { secureOrigin } from './origin.js';

const TRIES = 5;
const ANSWER_TIME = 30_000;
const LONGEST_PAUSE = 60; // seconds: as long as the limit of requests, and as a node that was killed holds an Idempotency-Key
const RUNNING = 'idempotency.running';
/** A step up, which a proxy may take, also where it is encoded: the key would reach an app at the same host. */
const UP = /(^|[/\\]|%2f|%5c)(\.|%2e){2}($|[/\\]|%2f|%5c)/i;

/** @type {typeof import('./admin.d.ts').Problem} */
export const Problem = class extends Error {
  name = 'Problem';
  status;
  code;
  params;
  fields;
  requestId;
  retryAfter;

  /** @param {number} status @param {Record<string, any>} body @param {number} [retryAfter] */
  constructor(status, body, retryAfter = 0) {
    const fields = body['fields'] ?? [];
    const named = fields.map((/** @type {any} */ field) => `, the field ${field.name}: ${field.code}`);
    super(`Portico refuses this: ${body['title'] ?? ''} (${body['code'] ?? status})${named.join('')}`);
    this.status = status;
    this.code = body['code'] ?? '';
    this.params = body['params'] ?? {};
    this.fields = fields;
    this.requestId = body['request_id'] ?? '';
    this.retryAfter = retryAfter;
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

  /** @param {string} path @param {Record<string, string>} [query] @param {{ signal?: AbortSignal }} [options] */
  async get(path, query = {}, { signal } = {}) {
    const url = this.#urlOf(path);
    url.search = String(new URLSearchParams(query));
    return await this.#send(url, {}, signal);
  }

  /** @param {string} path @param {object} [body] @param {{ signal?: AbortSignal }} [options] */
  async change(path, body = {}, { signal } = {}) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `"${crypto.randomUUID()}"` };
    return await this.#send(
      this.#urlOf(path),
      { method: 'POST', body: JSON.stringify(body), headers },
      signal,
    );
  }

  /** @param {string} path @param {Record<string, string>} [query] @param {{ signal?: AbortSignal }} [options] */
  async *pages(path, query = {}, options = {}) {
    for (let after = query['after'] ?? ''; ; ) {
      const page = await this.get(path, after ? { ...query, after } : query, options);
      yield page;
      after = page.next;
      if (!after) return;
    }
  }

  /** The address of a path, which gets the key. @param {string} path */
  #urlOf(path) {
    const url = new URL(path, this.#root);
    if (!url.href.startsWith(this.#root.href) || url.search || url.hash || UP.test(path))
      throw new TypeError(`${path} is no path below ${this.#root.href}`);
    return url;
  }

  /** Sends a request until it is answered for good. @param {URL} url @param {RequestInit} request @param {AbortSignal} [signal] */
  async #send(url, request, signal) {
    for (let tries = 0, waited = 0; ; ) {
      try {
        return await this.#once(url, request, signal);
      } catch (error) {
        const refused = error instanceof Problem ? error : null;
        const running = refused?.code === RUNNING;
        const again = refused
          ? refused.status === 429 || refused.status >= 500 || running
          : !(error instanceof SyntaxError); // the answer is no JSON
        const after = refused?.retryAfter ?? 0;
        if (!running || waited >= LONGEST_PAUSE) tries++;
        if (signal?.aborted || !again || after > LONGEST_PAUSE || tries === TRIES) throw error;
        const pause = Math.max(after, 2 ** tries / 4);
        await rest(1000 * pause, signal);
        waited += pause;
      }
    }
  }

  /** @param {URL} url @param {RequestInit} request @param {AbortSignal} [signal] */
  async #once(url, request, signal) {
    const timeout = AbortSignal.timeout(ANSWER_TIME);
    const response = await fetch(url, {
      ...request,
      headers: { ...request.headers, accept: 'application/json', authorization: `Bearer ${this.#key}` },
      redirect: 'manual', // a redirect would hand the key to another server
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (response.ok) return await response.json();
    const retryAfter = Number(response.headers.get('retry-after')) || 0;
    const body = await response.json().catch(() => ({}));
    signal?.throwIfAborted(); // while the answer was read
    throw new Problem(response.status, body, retryAfter);
  }
};

/** Waits for a time. A signal ends it with its reason. @param {number} time @param {AbortSignal} [signal] */
const rest = (time, signal) =>
  new Promise((/** @type {(value?: unknown) => void} */ done, stop) => {
    const end = () => {
      clearTimeout(timer);
      stop(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      done();
    }, time);
    signal?.addEventListener('abort', end);
  });
