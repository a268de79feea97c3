'use client';
import { useSyncExternalStore } from 'react';

/** @type {import('./react.d.ts').SessionState} */
const LOADING = { status: 'loading', session: null };

/** Asks who is signed in, once for all components of a page, from the first to the last of them. */
class Store {
  /** @type {import('./react.d.ts').SessionState} */
  #state = LOADING;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** @type {BroadcastChannel | undefined} */
  #channel;
  #asked = 0;
  #url;

  /** @param {string} url */
  constructor(url) {
    this.#url = url;
  }

  read = () => this.#state;

  /** @param {() => void} listener */
  subscribe = (listener) => {
    if (this.#listeners.size === 0) this.#begin();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end();
    };
  };

  refresh = async () => {
    this.#asked += 1;
    const turn = this.#asked;
    const found = await ask(this.#url);
    if (turn !== this.#asked) return; // a later answer counts
    if (found.status === 'unavailable' && this.#state.status !== 'loading') return;
    this.#state = found;
    for (const listener of this.#listeners) listener();
  };

  #begin() {
    this.#channel = new BroadcastChannel('portico');
    this.#channel.onmessage = this.refresh;
    addEventListener('focus', this.refresh);
    this.refresh();
  }

  #end() {
    this.#asked += 1;
    this.#channel?.close();
    removeEventListener('focus', this.refresh);
  }
}

/** By address. A server subscribes to none of them, so nobody's session is kept there. @type {Map<string, Store>} */
const stores = new Map();

/** @type {typeof import('./react.d.ts').useSession} */
export function useSession({ url = '/auth/api/session' } = {}) {
  const store = stores.get(url) ?? new Store(url);
  stores.set(url, store);
  const state = useSyncExternalStore(store.subscribe, store.read, () => LOADING);
  return { ...state, refresh: store.refresh };
}

/** @type {typeof import('./react.d.ts').SignedIn} */
export const SignedIn = ({ children, url }) => (useSession({ url }).status === 'signed-in' ? children : null);

/** @type {typeof import('./react.d.ts').SignedOut} */
export const SignedOut = ({ children, url }) =>
  useSession({ url }).status === 'signed-out' ? children : null;

/** @param {string} url @returns {Promise<import('./react.d.ts').SessionState>} */
async function ask(url) {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    if (response.ok) return { status: 'signed-in', session: await response.json() };
    await response.text(); // unread, the request would never end for a test that waits for the network
    if (response.status === 401) return { status: 'signed-out', session: null };
  } catch {
    // no answer, or none of Portico's
  }
  return { status: 'unavailable', session: null };
}
