import type { Boot } from '../../api/schema.gen';
import type { MessageKey } from '../../i18n/messages.gen';
import { useText } from '../../i18n/provider';
import { choose, When } from '../../lib/template';
import styles from './sections.module.css';

/** Sections that the operator can switch off. */
const SWITCHED: Record<string, 'passkeys' | 'trust' | 'providers'> = {
  '/auth/account/passkeys': 'passkeys',
  '/auth/account/browsers': 'trust',
  '/auth/account/providers': 'providers',
};

type States = Boot['account']['states'];

/** The sections of the account, each a page of its own, with the state that it has. */
const SECTIONS: [path: string, name: MessageKey, state?: keyof States][] = [
  ['/auth/account/profile', 'account.section.profile'],
  ['/auth/account/addresses', 'account.section.addresses', 'addresses'],
  ['/auth/account/password', 'account.section.password', 'password'],
  ['/auth/account/passkeys', 'account.section.passkeys', 'passkeys'],
  ['/auth/account/factors', 'account.section.factors', 'factors'],
  ['/auth/account/sessions', 'account.section.sessions', 'sessions'],
  ['/auth/account/browsers', 'account.section.browsers', 'browsers'],
  ['/auth/account/providers', 'account.section.providers', 'providers'],
  ['/auth/account/apps', 'account.section.apps', 'apps'],
  ['/auth/account/history', 'account.section.history'],
  ['/auth/account/data', 'account.section.data'],
  ['/auth/account/delete', 'account.section.delete'],
];

/** The words for a state that is "yes" or not. Any other one is a number. */
const WORDS: { [state in keyof States]?: [yes: MessageKey, no: MessageKey] } = {
  password: ['account.state.password_set', 'account.state.password_unset'],
  factors: ['account.state.factors_on', 'account.state.factors_off'],
};

export function Sections({ settings, states }: { settings: Boot['settings']; states: States }) {
  const { t } = useText();
  const wordsOf = (state: keyof States) => {
    const words = WORDS[state];
    return words ? choose(states[state], t(words[0]), t(words[1])) : states[state];
  };
  return (
    <nav aria-label={t('account.sections')}>
      <ul className={styles.list}>
        {SECTIONS.map(([path, name, state]) => (
          <When key={path} value={SWITCHED[path] ? settings[SWITCHED[path]] : 'yes'}>
            <li className={styles.item}>
              <a className={styles.link} href={path}>
                {t(name)}
              </a>
              {state ? <span className={styles.state}>{wordsOf(state)}</span> : null}
            </li>
          </When>
        ))}
      </ul>
    </nav>
  );
}
