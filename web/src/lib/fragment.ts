/**
 * A redirect to the sign-in page leaves the fragment of the address that was
 * asked for on it (RFC 9110 10.2.2), and no server ever sees it: it may be a
 * place in an app, or a key that is nobody's else. It goes with the person from
 * screen to screen in the address bar, and back.
 */
export const withFragment = (next: string) => (next.includes('#') ? next : next + location.hash);

/** Does the same for the links of a screen, when one is followed. */
export function carryFragment(): void {
  const follow = ({ target }: MouseEvent) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('main a[href^="/"]');
    // The attribute, since the property would write a whole URL, and others look for a path.
    if (link) link.setAttribute('href', withFragment(link.getAttribute('href') ?? ''));
  };
  document.addEventListener('click', follow);
  document.addEventListener('auxclick', follow);
}
