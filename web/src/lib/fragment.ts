/**
 * Appends the fragment of the current URL. A browser keeps the fragment of the requested page
 * across the redirect to the sign-in page (RFC 9110 10.2.2), and no server sees it. It may name
 * a place in an app or hold a secret, so the address bar carries it from screen to screen and back.
 */
export const withFragment = (next: string) => (next.includes('#') ? next : next + location.hash);

/** Does the same for each link of the screen that is followed. */
export function carryFragment(): void {
  const follow = ({ target }: MouseEvent) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('main a[href^="/"]');
    // The attribute, because the property would write an absolute URL, and other code looks for a path.
    if (link) link.setAttribute('href', withFragment(link.getAttribute('href') ?? ''));
  };
  document.addEventListener('click', follow);
  document.addEventListener('auxclick', follow);
}
