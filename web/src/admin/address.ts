import { useMemo, useSyncExternalStore } from 'react';

const CHANGED = 'portico-address';

function subscribe(listener: () => void) {
  addEventListener('popstate', listener);
  addEventListener(CHANGED, listener);
  return () => {
    removeEventListener('popstate', listener);
    removeEventListener(CHANGED, listener);
  };
}

const search = () => location.search;

/** The state of a list, which is the query of the page's address. Back and a copied link restore it. */
export const useQueryOf = () => {
  const text = useSyncExternalStore(subscribe, search);
  return useMemo(() => new URLSearchParams(text), [text]);
};

/** The address of this page with other values. An empty value goes. A new question begins at the first page. */
export function withValues(values: Record<string, string>): string {
  const query = new URLSearchParams(location.search);
  if (!('after' in values)) query.delete('after');
  for (const [name, value] of Object.entries(values)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  return location.pathname + (query.size ? `?${query}` : '');
}

/** The place that the path names, and the person below it. */
export const [, , , place = '', personId = ''] = location.pathname.split('/');

/** Goes to another state of this page. `replace` keeps the entry of the history, while somebody types. */
export function go(address: string, replace = false): void {
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(history.state, '', address);
  else history.pushState({ within: true }, '', address);
  dispatchEvent(new Event(CHANGED));
}

/** The press on a link that stays within the page. A new tab opens as usual. */
export function within(event: React.MouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(event.currentTarget.pathname + event.currentTarget.search);
}
