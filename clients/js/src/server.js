import { get, SHARED_FOR } from '#get';
import { Answer, comeBack, navigates, ofNode, ofWeb } from './answer.js';
import { Refused, Unavailable } from './fault.js';
import { KeySet } from './keys.js';
import { origin, secureOrigin } from './origin.js';
import { verify } from './token.js';

export { Refused, Unavailable };

const COOKIES = ['__Host-portico-session', 'portico-session'];

/** @type {typeof import('./server.d.ts').Portico} */
export const Portico = class {
  #public;
  #address;
  #audience;
  #ask;
  #onError;
  #keys;

  /** @param {string} publicUrl @param {import('./server.d.ts').Options} [options] */
  constructor(publicUrl, { audience = 'app', address = publicUrl, askPortico = false, onError = warn } = {}) {
    this.#public = secureOrigin(publicUrl, 'replace the keys');
    this.#address = origin(address);
    this.#audience = audience;
    this.#ask = askPortico;
    this.#onError = onError;
    const fetchKeys = () => this.#get('/.well-known/jwks.json');
    this.#keys = new KeySet(fetchKeys, SHARED_FOR, (cause) => onError(unavailable(cause)));
  }

  /** @param {string} token */
  async verify(token) {
    const claims = await verify(token, {
      issuer: this.#public.origin,
      audience: this.#audience,
      find: (kid) => available(this.#keys.find(kid)),
    });
    return {
      id: text(claims['sub']),
      email: text(claims['email']),
      name: text(claims['name']),
      roles: texts(claims['roles']),
      methods: texts(claims['amr']),
      sessionId: text(claims['sid']),
      authenticatedAt: new Date(Number(claims['auth_time']) * 1000),
    };
  }

  /** @param {import('./server.d.ts').AnyHeaders} headers */
  async identify(headers) {
    if (this.#ask) return await this.#session(header(headers, 'cookie') ?? '');
    const token = header(headers, 'x-portico-token');
    return token ? await this.verify(token) : null;
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async require(request, response) {
    const found = await this.#admit(ofNode(request));
    if (!(found instanceof Answer)) return found;
    found.write(response);
    return null;
  }

  /** @param {Request} request */
  async admit(request) {
    const found = await this.#admit(ofWeb(request));
    return found instanceof Answer ? new Response(found.body, found) : found;
  }

  /** @param {{ optional?: boolean }} [options] */
  middleware({ optional = false } = {}) {
    /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response @param {(error?: unknown) => void} next */
    return async (request, response, next) => {
      const found = await (optional ? this.#find(request.headers) : this.#admit(ofNode(request)));
      if (found instanceof Answer) return found.write(response);
      request.portico = found;
      next();
    };
  }

  /** The user, or what is answered without one. @param {import('./answer.js').Asked} asked */
  async #admit(asked) {
    return (await this.#find(asked.headers)) ?? this.#signIn(asked);
  }

  /** The user who sent the request, null without one, or what is answered. @param {import('./server.d.ts').AnyHeaders} headers */
  async #find(headers) {
    try {
      return await this.identify(headers);
    } catch (cause) {
      const error = /** @type {Error} */ (cause);
      this.#onError(error);
      // Not to the sign-in page: a user with a session would come back with the same token, in a loop.
      if (error instanceof Refused)
        return Answer.problem({
          status: 401,
          code: 'token.refused',
          title: 'The sign-in of this request is not valid.',
          detail: error.message,
        });
      return Answer.problem({
        status: 503,
        code: 'unavailable',
        title: 'This is not available at the moment. Try again in a few seconds.',
        retry_after: 2,
      });
    }
  }

  /** @param {import('./answer.js').Asked} asked */
  #signIn(asked) {
    const page = `${this.#public.origin}/auth/signin`;
    // At the app's own port, this is where a redirect has led: another one would loop.
    const past = asked.url.startsWith('/auth/');
    if (past || !navigates(asked))
      return Answer.problem({
        status: 401,
        code: 'session.required',
        title: 'Sign in to continue.',
        ...(past && {
          detail: `Portico answers /auth/, and this request came past it: open ${this.#public.origin} instead`,
        }),
        signin_url: page,
      });
    const { host } = asked.headers;
    const here = `${this.#public.protocol}//${host}`;
    const target = encodeURIComponent(comeBack(asked, here));
    // On a host of its own an app has no session until one is brought there from Portico's, by /auth/enter.
    const location =
      host === this.#public.host ? `${page}?return_to=${target}` : `${here}/auth/enter?to=${target}`;
    return new Answer(303, { location });
  }

  /** @param {string} line the Cookie header */
  async #session(line) {
    const cookies = line.split(/; */).filter((pair) => COOKIES.includes(pair.split('=')[0] ?? ''));
    if (cookies.length === 0) return null;
    const found = await this.#get('/auth/api/session', cookies.join('; '));
    if (!found) return null;
    const { user, session } = found;
    return {
      id: text(user.id),
      email: text(user.email),
      name: text(user.name),
      roles: texts(user.roles),
      methods: texts(session.methods),
      sessionId: text(session.id),
      authenticatedAt: new Date(session.authenticated_at),
    };
  }

  /** The document at a path, or null if the cookie is not valid. @param {string} path @param {string} [cookie] */
  async #get(path, cookie) {
    const url = new URL(path, this.#address);
    try {
      const headers = { accept: 'application/json', ...(cookie && { cookie }) };
      const { status, body } = await get(url, this.#public.host, headers);
      if (status === 200) return JSON.parse(body);
      if (cookie && status === 401) return null;
      throw new Error(`the answer has status ${status}`);
    } catch (cause) {
      const why = cause instanceof AggregateError ? cause.errors[0] : cause; // Node: one for each address of localhost
      throw new Unavailable(`cannot fetch ${url}, is Portico there? ${why}`, { cause });
    }
  }
};

/** @param {Error} error */
const warn = (error) => console.warn(`portico-client: ${error.message}`);

/** @template T @param {Promise<T>} promise @returns {Promise<T>} */
async function available(promise) {
  try {
    return await promise;
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** @param {unknown} cause */
const unavailable = (cause) =>
  cause instanceof Unavailable ? cause : new Unavailable(`the keys cannot be read: ${cause}`, { cause });

/**
 * The one value of a header. Several are joined by node, with a comma, which no token has.
 * @param {import('./server.d.ts').AnyHeaders} headers @param {string} name
 */
function header(headers, name) {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** @param {unknown} value */
const text = (value) => (typeof value === 'string' ? value : '');

/** @param {unknown} value */
const texts = (value) => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);
