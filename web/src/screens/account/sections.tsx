import type { Boot } from '../../api/schema.gen';
import type { MessageKey } from '../../i18n/messages.gen';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import styles from './sections.module.css';

/** Sections that the operator can switch off. */
const SWITCHED: Record<string, 'passkeys' | 'trust' | 'providers'> = {
  '/auth/account/passkeys': 'passkeys',
  '/auth/account/browsers': 'trust',
  '/auth/account/providers': 'providers',
};

/** The sections of the account, each a page of its own. */
const SECTIONS: [path: string, name: MessageKey][] = [
  ['/auth/account/profile', 'account.section.profile'],
  ['/auth/account/addresses', 'account.section.addresses'],
  ['/auth/account/password', 'account.section.password'],
  ['/auth/account/passkeys', 'account.section.passkeys'],
  ['/auth/account/factors', 'account.section.factors'],
  ['/auth/account/sessions', 'account.section.sessions'],
  ['/auth/account/browsers', 'account.section.browsers'],
  ['/auth/account/providers', 'account.section.providers'],
  ['/auth/account/apps', 'account.section.apps'],
  ['/auth/account/history', 'account.section.history'],
  ['/auth/account/data', 'account.section.data'],
  ['/auth/account/delete', 'account.section.delete'],
];

export function Sections({ policy }: { policy: Boot['policy'] }) {
  const { t } = useText();
  return (
    <nav aria-label={t('account.sections')}>
      <ul className={styles.list}>
        {SECTIONS.map(([path, name]) => (
          <When key={path} value={SWITCHED[path] ? policy[SWITCHED[path]] : 'yes'}>
            <li>
              <a className={styles.link} href={path}>
                {t(name)}
              </a>
            </li>
          </When>
        ))}
      </ul>
    </nav>
  );
}
