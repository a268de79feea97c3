import type { Boot, OtherAddress } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import entries from '../own/entries.module.css';
import { Press } from '../own/press';
import styles from './addresses.module.css';

/** The address that signs in, and the others with what can be done with each. */
export function Addresses({ boot, path }: { boot: Boot; path: string }) {
  const { t } = useText();
  return (
    <ul className={styles.list}>
      <li className={styles.address}>
        <div>
          <p className={entries.name}>{boot.session.email}</p>
          <p className={entries.detail}>{t('account-addresses.signs_in')}</p>
        </div>
      </li>
      <Each of={boot.account.addresses}>{(other) => <Entry boot={boot} other={other} path={path} />}</Each>
    </ul>
  );
}

function Entry({ boot, other, path }: { boot: Boot; other: OtherAddress; path: string }) {
  const { t } = useText();
  const named = { address: other.address };
  const about = { boot, entry: ['address', other.id] as [string, string] };
  const recover = (
    <>
      <p className={entries.detail}>{t('account-addresses.spare')}</p>
      <Press {...about} action={`${path}/recovery`} label={t('account-addresses.set_recovery_named', named)}>
        {t('account-addresses.set_recovery')}
      </Press>
    </>
  );
  const own = (
    <>
      <When value={other.recovery} otherwise={recover}>
        <p className={entries.detail}>{t('account-addresses.recovery')}</p>
      </When>
      <Press {...about} action={`${path}/primary`} label={t('account-addresses.make_primary_named', named)}>
        {t('account-addresses.make_primary')}
      </Press>
      <Press {...about} action={`${path}/remove`} label={t('account-addresses.remove_named', named)}>
        {t('account-addresses.remove')}
      </Press>
    </>
  );
  return (
    <li className={styles.address}>
      <p className={entries.name}>{other.address}</p>
      <When value={other.until} otherwise={own}>
        <p className={entries.detail}>{t('account-addresses.kept', { time: other.until })}</p>
      </When>
    </li>
  );
}
