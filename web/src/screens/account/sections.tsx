import type { MessageKey } from '../../i18n/messages.gen';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import styles from './sections.module.css';

const PASSKEYS = '/auth/account/passkeys';

/** The sections of the account, each a page of its own. */
const SECTIONS: [path: string, name: MessageKey][] = [
  ['/auth/account/profile', 'account.section.profile'],
  ['/auth/account/password', 'account.section.password'],
  [PASSKEYS, 'account.section.passkeys'],
  ['/auth/account/factors', 'account.section.factors'],
  ['/auth/account/apps', 'account.section.apps'],
  ['/auth/account/history', 'account.section.history'],
  ['/auth/account/data', 'account.section.data'],
];

export function Sections({ passkeys }: { passkeys: string }) {
  const { t } = useText();
  return (
    <nav aria-label={t('account.sections')}>
      <ul className={styles.list}>
        {SECTIONS.map(([path, name]) => (
          <When key={path} value={path === PASSKEYS ? passkeys : 'yes'}>
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
