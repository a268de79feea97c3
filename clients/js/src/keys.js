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
  #ended = Number.NEGATIVE_INFINITY;
  /** @type {unknown} of the last fetch */
  #error = null;
  /** The fetch that all wait for. @type {{ done: Promise<void>, until: number } | null} */
  #running = null;
  #fetch;
  #sharedFor;
  #tell;

  /**
   * @param {() => Promise<unknown>} fetch gets the set, as JSON
   * @param {number} sharedFor how long requests wait for the fetch of another one, in milliseconds; with 0 each has its own
   * @param {(error: unknown) => void} tell gets why a fetch failed, while the keys still hold and no request fails by it
   */
  constructor(fetch, sharedFor, tell) {
    this.#fetch = fetch;
    this.#sharedFor = sharedFor;
    this.#tell = tell;
  }

  /**
   * The key of an id, or null when Portico does not publish it. Throws when Portico cannot be asked.
   * @param {string} id
   */
  async find(id) {
    const key = this.#held(id);
    if (key && performance.now() - this.#asOf < (this.#sharedFor ? REFRESH_AFTER : KEEP_FOR)) return key;
    const fetching = this.#start();
    if (key && this.#sharedFor) return key;
    await fetching;
    const found = this.#held(id);
    if (!found && this.#error) throw this.#error;
    return found;
  }

  /** The key of an id, if it may still be used. @param {string} id */
  #held(id) {
    const age = performance.now() - this.#asOf;
    return (age < (this.#error ? STALE_FOR : KEEP_FOR) && this.#keys.get(id)) || null;
  }

  /** Begins a fetch unless one runs or the last one was just now: tokens that anybody can make up must not cause one each. */
  #start() {
    const now = performance.now();
    if (this.#running && now < this.#running.until) return this.#running.done;
    if (now - this.#ended < RETRY_AFTER) return null;
    const done = this.#refresh(now);
    if (this.#sharedFor) this.#running = { done, until: now + this.#sharedFor };
    return done;
  }

  /** @param {number} now */
  async #refresh(now) {
    try {
      this.#keys = await usable(await this.#fetch());
      this.#asOf = now;
      this.#error = null;
    } catch (error) {
      this.#error = error;
      if (now - this.#asOf < STALE_FOR) this.#tell(error);
    }
    this.#ended = performance.now();
    this.#running = null;
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
