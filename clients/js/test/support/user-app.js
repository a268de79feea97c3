import { SignedIn, SignedOut, UserButton } from 'portico-client/react';
import { createElement as h } from 'react';

export const App = () =>
  h(
    'header',
    null,
    h(UserButton, {}),
    h(SignedIn, {}, h('p', null, 'in')),
    h(SignedOut, {}, h('a', { href: '/auth/signin' }, 'Sign in')),
  );
