import type { Boot } from '../../api/schema.gen';
import type { MessageKey } from '../../i18n/messages.gen';
import { app, bin, clock, desktop, download, key, link, lock, mail, person, shield, window } from './icons';

interface Section {
  path: string;
  name: MessageKey;
  /** An icon of 20 by 20, as the path of an SVG. */
  icon: string;
  /** The state that the server words, or what the section is for. */
  state?: keyof Boot['account']['states'];
  about?: MessageKey;
  /** The operator can switch the section off. */
  setting?: 'passkeys' | 'trust' | 'providers' | 'tokens';
}

/** The sections of the account in their groups, each section a page of its own. */
export const GROUPS: { name: MessageKey; sections: Section[] }[] = [
  {
    name: 'account.group.you',
    sections: [
      {
        path: 'profile',
        name: 'account.section.profile',
        about: 'account.about.profile',
        icon: person,
      },
      {
        path: 'addresses',
        name: 'account.section.addresses',
        state: 'addresses',
        icon: mail,
      },
    ],
  },
  {
    name: 'account.group.signing_in',
    sections: [
      {
        path: 'password',
        name: 'account.section.password',
        state: 'password',
        icon: lock,
      },
      {
        path: 'passkeys',
        name: 'account.section.passkeys',
        state: 'passkeys',
        setting: 'passkeys',
        icon: key,
      },
      {
        path: 'factors',
        name: 'account.section.factors',
        state: 'factors',
        icon: shield,
      },
      {
        path: 'providers',
        name: 'account.section.providers',
        state: 'providers',
        setting: 'providers',
        icon: link,
      },
    ],
  },
  {
    name: 'account.group.activity',
    sections: [
      {
        path: 'sessions',
        name: 'account.section.sessions',
        state: 'sessions',
        icon: desktop,
      },
      {
        path: 'browsers',
        name: 'account.section.browsers',
        state: 'browsers',
        setting: 'trust',
        icon: window,
      },
      {
        path: 'history',
        name: 'account.section.history',
        about: 'account.about.history',
        icon: clock,
      },
    ],
  },
  {
    name: 'account.group.data',
    sections: [
      {
        path: 'apps',
        name: 'account.section.apps',
        state: 'apps',
        icon: app,
      },
      {
        path: 'tokens',
        name: 'account.section.tokens',
        about: 'account.about.tokens',
        icon: key,
        setting: 'tokens',
      },
      {
        path: 'data',
        name: 'account.section.data',
        about: 'account.about.data',
        icon: download,
      },
      {
        path: 'delete',
        name: 'account.section.delete',
        about: 'account.about.delete',
        icon: bin,
      },
    ],
  },
];

export const pathOf = (section: string) => `/auth/account/${section}`;
