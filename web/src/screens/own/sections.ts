import type { Boot } from '../../api/schema.gen';
import type { MessageKey } from '../../i18n/messages.gen';

interface Section {
  path: string;
  name: MessageKey;
  /** An icon of 20 by 20, as the path of an SVG. */
  icon: string;
  /** The state that the server words, or what the section is for. */
  state?: keyof Boot['account']['states'];
  about?: MessageKey;
  /** The operator can switch the section off. */
  setting?: 'passkeys' | 'trust' | 'providers';
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
        icon: 'M10 9.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM3.8 17a6.2 6.2 0 0 1 12.4 0',
      },
      {
        path: 'addresses',
        name: 'account.section.addresses',
        state: 'addresses',
        icon: 'M2.8 4.5h14.4v11H2.8zM3 5.3l7 5.4 7-5.4',
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
        icon: 'M4.5 9h11v8h-11zM7 9V6.2a3 3 0 0 1 6 0V9M10 12.2v1.8',
      },
      {
        path: 'passkeys',
        name: 'account.section.passkeys',
        state: 'passkeys',
        setting: 'passkeys',
        icon: 'M6.5 13.2a3.3 3.3 0 1 0 0-6.5 3.3 3.3 0 0 0 0 6.5zM9.8 10h7.4v3M13.8 10v2.4',
      },
      {
        path: 'factors',
        name: 'account.section.factors',
        state: 'factors',
        icon: 'M10 2.5l6 2.1v4.6c0 3.8-2.5 6.6-6 8.3-3.5-1.7-6-4.5-6-8.3V4.6zM7.3 9.9l2 2 3.5-4',
      },
      {
        path: 'providers',
        name: 'account.section.providers',
        state: 'providers',
        setting: 'providers',
        icon: 'M8.4 11.6a3 3 0 0 0 4.3 0l2.6-2.6a3 3 0 0 0-4.3-4.3l-.9.9M11.6 8.4a3 3 0 0 0-4.3 0L4.7 11A3 3 0 0 0 9 15.3l.9-.9',
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
        icon: 'M4 4.5h12v8.2H4zM2 15.7h16',
      },
      {
        path: 'browsers',
        name: 'account.section.browsers',
        state: 'browsers',
        setting: 'trust',
        icon: 'M3 4h14v12H3zM3 7.2h14M7.3 11.5l2 2 3.5-3.8',
      },
      {
        path: 'history',
        name: 'account.section.history',
        about: 'account.about.history',
        icon: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6.2V10l2.6 2',
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
        icon: 'M3.3 3.3h5v5h-5zM11.7 3.3h5v5h-5zM3.3 11.7h5v5h-5zM11.7 11.7h5v5h-5z',
      },
      {
        path: 'data',
        name: 'account.section.data',
        about: 'account.about.data',
        icon: 'M10 3v9.2M6.4 8.8l3.6 3.5 3.6-3.5M3.5 16.5h13',
      },
      {
        path: 'delete',
        name: 'account.section.delete',
        about: 'account.about.delete',
        icon: 'M3.8 5.5h12.4M7.8 5.5v-2h4.4v2M5.3 5.5l.8 11.2h7.8l.8-11.2M8.4 8.7v4.8M11.6 8.7v4.8',
      },
    ],
  },
];

export const pathOf = (section: string) => `/auth/account/${section}`;
