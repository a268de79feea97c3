/**
 * Appends the fragment of the current URL. A browser keeps the fragment of the requested page
 * across the redirect to the sign-in page (RFC 9110 10.2.2), and no server sees it. It may name
 * a place in an app or hold a secret, so the address bar carries it from screen to screen and back.
 */
const withFragment = (next: string) => (next.includes('#') ? next : next + location.hash);

/** A step that waits after the sign-in page, which leads there again while it waits. */
const WAITS = /^\/auth\/(mfa|terms|keep|protect)$/;

/**
 * Goes to a page, with the fragment. An address that differs from the current one in nothing, or in
 * the fragment only, loads nothing; after another address in between it does. A step that waits takes
 * the place of the sign-in page, so that Back leads out of both.
 */
export function go(next: string): void {
  const url = new URL(withFragment(next), location.href);
  const same = url.hash !== '' && url.pathname + url.search === location.pathname + location.search;
  if (same) history.replaceState(null, '', '/auth/');
  const waits = location.pathname === '/auth/signin' && WAITS.test(url.pathname);
  location[same || waits ? 'replace' : 'assign'](url);
}

/** Keeps the fragment for each link of the screen that is followed. */
export function carryFragment(): void {
  const follow = ({ target }: MouseEvent) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('main a[href^="/"]');
    // The attribute, because the property would write an absolute URL, and other code looks for a path.
    if (link) link.setAttribute('href', withFragment(link.getAttribute('href') ?? ''));
  };
  document.addEventListener('click', follow);
  document.addEventListener('auxclick', follow);
}
