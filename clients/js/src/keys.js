// The keys that Portico signs with: fetched when they are needed, one fetch for everybody who waits.

const REFRESH_AFTER = 3 * 60_000; // fetched again in the background
const KEEP_FOR = 5 * 60_000; // as the published set says; then requests wait
const STALE_FOR = 15 * 60_000; // while Portico does not answer
const RETRY_AFTER = 2_000; // between two fetches
const MAX_KEYS = 32;

const ES256 = { name: 'ECDSA', namedCurve: 'P-256' };

export class KeySet {
  /** @type {Map<string, CryptoKey>} */
  #keys = new Map();
  #asOf = Number.NEGATIVE_INFINITY;
  #tried = Number.NEGATIVE_INFINITY;
  /** @type {unknown} of the last fetch */
  #error = null;
  /** @type {Promise<void> | null} */
  #running = null;
  /** @type {() => Promise<unknown>} */
  #fetch;

  /** @param {() => Promise<unknown>} fetch gets the set, as JSON */
  constructor(fetch) {
    this.#fetch = fetch;
  }

  /**
   * The key of an id, or null when Portico does not publish it. Throws when Portico cannot be asked.
   * @param {string} id
   */
  async find(id) {
    const age = Date.now() - this.#asOf;
    const known = this.#keys.has(id);
    if (known && age < REFRESH_AFTER) return this.#known(id);
    const running = this.#start();
    if (!(known && (age < KEEP_FOR || (this.#error && age < STALE_FOR)))) await running;
    return this.#known(id);
  }

  /** @param {string} id */
  #known(id) {
    const key = this.#keys.get(id);
    const age = Date.now() - this.#asOf;
    if (key && (age < KEEP_FOR || (this.#error && age < STALE_FOR))) return key;
    if (this.#error) throw this.#error;
    return null;
  }

  /** Begins a fetch unless one runs or the last one was just now: tokens that anybody can make up must not cause one each. */
  #start() {
    const now = Date.now();
    if (!this.#running && now - this.#tried >= RETRY_AFTER) {
      this.#tried = now;
      this.#running = this.#refresh(now).finally(() => {
        this.#running = null;
      });
    }
    return this.#running;
  }

  /** @param {number} now */
  async #refresh(now) {
    try {
      this.#keys = await usable(await this.#fetch());
      this.#asOf = now;
      this.#error = null;
    } catch (error) {
      this.#error = error;
    }
  }
}

/**
 * The keys of a set that tokens may be signed with; others are left out.
 * @param {unknown} set
 */
async function usable(set) {
  const list = /** @type {{ keys?: unknown }} */ (set)?.keys;
  if (!Array.isArray(list) || list.length > MAX_KEYS) throw new Error('this is no set of keys');
  const keys = new Map();
  for (const jwk of list) {
    if (jwk?.kty !== 'EC' || jwk.crv !== 'P-256' || jwk.alg !== 'ES256' || jwk.use !== 'sig') continue;
    if (typeof jwk.kid !== 'string' || 'd' in jwk) continue;
    const { kty, crv, x, y } = jwk;
    keys.set(jwk.kid, await crypto.subtle.importKey('jwk', { kty, crv, x, y }, ES256, false, ['verify']));
  }
  if (keys.size === 0) throw new Error('there is no key for ES256 in the set');
  return keys;
}
