import { useCallback, useEffect, useRef, useState } from 'react';

/** @type {import('./react.d.ts').SessionState} */
const LOADING = { status: 'loading', session: null };

/** @type {typeof import('./react.d.ts').useSession} */
export function useSession({ url = '/auth/api/session' } = {}) {
  const [state, setState] = useState(LOADING);
  const asked = useRef(0);

  const refresh = useCallback(async () => {
    asked.current += 1;
    const turn = asked.current;
    const found = await ask(url);
    if (turn !== asked.current) return; // a later answer counts
    setState((known) => (found.status === 'unavailable' && known.status !== 'loading' ? known : found));
  }, [url]);

  useEffect(() => {
    const channel = new BroadcastChannel('portico');
    channel.onmessage = refresh;
    addEventListener('focus', refresh);
    refresh();
    return () => {
      asked.current += 1;
      channel.close();
      removeEventListener('focus', refresh);
    };
  }, [refresh]);

  return { ...state, refresh };
}

/** @param {string} url @returns {Promise<import('./react.d.ts').SessionState>} */
async function ask(url) {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    if (response.ok) return { status: 'signed-in', session: await response.json() };
    if (response.status === 401) return { status: 'signed-out', session: null };
  } catch {
    // no answer, or none of Portico's
  }
  return { status: 'unavailable', session: null };
}
