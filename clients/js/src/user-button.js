'use client';
import { Fragment, createElement as h, useEffect, useInsertionEffect, useRef } from 'react';
import { useSession } from './session.js';

const ENGLISH = { account: 'Account', signOut: 'Sign out' };

/** @type {Record<string, typeof ENGLISH>} */
const WORDS = {
  de: { account: 'Konto', signOut: 'Abmelden' },
  fr: { account: 'Compte', signOut: 'Se déconnecter' },
  es: { account: 'Cuenta', signOut: 'Cerrar sesión' },
  ar: { account: 'الحساب', signOut: 'تسجيل الخروج' },
};

// The button has the colors of the place where it stands, and the menu those of the page's color-scheme.
const STYLE = `
.portico-user{display:inline-grid;place-items:center;flex:none;width:44px;height:44px;padding:0;border:0;border-radius:50%;background:none;color:inherit;font:inherit;cursor:pointer}
.portico-user>*{grid-area:1/1;box-sizing:border-box;width:36px;height:36px;border-radius:50%;object-fit:cover}
.portico-user>span{display:grid;place-items:center;border:1px solid color-mix(in srgb,currentcolor 40%,transparent);background:color-mix(in srgb,currentcolor 10%,transparent);font-size:14px;font-weight:600}
.portico-user>span::before{content:attr(data-initials)}
.portico-menu{position:fixed;inset:auto;box-sizing:border-box;width:min(260px,100vw - 16px);max-height:calc(100vh - 16px);overflow:auto;margin:0;padding:8px;border:1px solid color-mix(in srgb,CanvasText 25%,Canvas);border-radius:12px;background:Canvas;color:CanvasText;font-size:16px;line-height:1.4;text-align:start;box-shadow:0 8px 24px #0003}
.portico-menu>p{margin:0;padding:8px 12px 12px;overflow-wrap:anywhere}
.portico-menu bdi{display:block;font-size:14px}
.portico-menu bdi:first-child{font-size:16px;font-weight:600}
.portico-menu>form{margin:0}
.portico-menu :is(a,button){display:flex;align-items:center;box-sizing:border-box;width:100%;min-height:44px;margin:0;padding:0 12px;border:0;border-radius:8px;background:none;color:inherit;font:inherit;text-align:start;text-decoration:none;cursor:pointer}
.portico-menu :is(a,button):hover{background:color-mix(in srgb,CanvasText 8%,Canvas)}
.portico-user:focus-visible,.portico-menu :focus-visible{outline:2px solid;outline-offset:-2px}`;

/** @type {CSSStyleSheet | undefined} */
let sheet;

/** Adds the style in a way that a content security policy allows. */
function adopt() {
  if (sheet) return;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
}

/** @type {typeof import('./react.d.ts').UserButton} */
export function UserButton({ url, labels }) {
  const { status, session } = useSession({ url });
  // Keeps the place, so that nothing moves when the answer is there.
  if (status === 'loading') return h('svg', { width: 44, height: 44, 'aria-hidden': true });
  return session && h(Menu, { user: session.user, labels });
}

/** @param {{ user: import('./react.d.ts').Session['user'], labels: typeof ENGLISH | undefined }} props */
function Menu({ user, labels = WORDS[document.documentElement.lang.slice(0, 2)] ?? ENGLISH }) {
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const menu = useRef(/** @type {HTMLDivElement | null} */ (null));
  useInsertionEffect(adopt, []);
  useEffect(() => join(button.current, menu.current), []);
  const { name, email, picture } = user;
  return h(
    Fragment,
    null,
    h(
      'button',
      {
        ref: button,
        type: 'button',
        className: 'portico-user',
        'aria-label': `${labels.account}: ${name || email}`,
      },
      h('span', { 'data-initials': initials(name, email) }),
      picture &&
        h('img', {
          key: picture,
          src: picture,
          alt: '',
          onError: (/** @type {{ currentTarget: HTMLElement }} */ event) => {
            event.currentTarget.hidden = true; // the initials are below it
          },
        }),
    ),
    h(
      'div',
      { ref: menu, popover: 'auto', className: 'portico-menu', role: 'group', 'aria-label': labels.account },
      h('p', null, name && h('bdi', null, name), h('bdi', null, email)),
      h('a', { href: '/auth/account' }, labels.account),
      h('form', { method: 'post', action: '/auth/signout' }, h('button', { type: 'submit' }, labels.signOut)),
    ),
  );
}

/**
 * Lets the browser open and close the menu: it knows Escape, presses elsewhere, where the focus goes, and tells
 * screen readers whether the menu is open.
 * @param {HTMLButtonElement | null} button @param {HTMLDivElement | null} menu
 */
function join(button, menu) {
  if (!button || !menu) return;
  button.popoverTargetElement = menu;
  const place = () => {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const width = Math.min(260, clientWidth - 16);
    const wanted = left + right > clientWidth ? right - width : left;
    const below = top + bottom < clientHeight;
    menu.style.left = `${Math.max(8, Math.min(wanted, clientWidth - width - 8))}px`;
    menu.style.top = below ? `${bottom + 4}px` : 'auto';
    menu.style.bottom = below ? 'auto' : `${clientHeight - top + 4}px`;
  };
  const follow = () => menu.matches(':popover-open') && place();
  menu.addEventListener('beforetoggle', place);
  addEventListener('scroll', follow, true);
  addEventListener('resize', follow);
  return () => {
    removeEventListener('scroll', follow, true);
    removeEventListener('resize', follow);
  };
}

/** As on Portico's own pages: of the first and the last word of the name, else of the address. @param {string} name @param {string} email */
function initials(name, email) {
  const words = name.trim() ? name.trim().split(/\s+/) : [email];
  const letters = [words[0], ...words.slice(1).slice(-1)].map(
    (word) => word?.match(/[\p{L}\p{Nd}]/u)?.[0] ?? '',
  );
  return letters.join('').toUpperCase();
}
