import type { Boot, OtherAddress } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Button } from '../../ui/button';
import entries from '../own/entries.module.css';
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
      <Each of={boot.account.addresses}>{(other) => <Entry other={other} path={path} />}</Each>
    </ul>
  );
}

function Entry({ other, path }: { other: OtherAddress; path: string }) {
  const { t } = useText();
  const named = { address: other.address };
  const recover = (
    <>
      <p className={entries.detail}>{t('account-addresses.spare')}</p>
      <Press
        other={other}
        to={`${path}/recovery`}
        label={t('account-addresses.set_recovery_named', named)}
        words={t('account-addresses.set_recovery')}
      />
    </>
  );
  const own = (
    <>
      <When value={other.recovery} otherwise={recover}>
        <p className={entries.detail}>{t('account-addresses.recovery')}</p>
      </When>
      <Press
        other={other}
        to={`${path}/primary`}
        label={t('account-addresses.make_primary_named', named)}
        words={t('account-addresses.make_primary')}
      />
      <Press
        other={other}
        to={`${path}/remove`}
        label={t('account-addresses.remove_named', named)}
        words={t('account-addresses.remove')}
      />
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

function Press(props: { other: OtherAddress; to: string; label: string; words: string }) {
  return (
    <PostForm action={props.to}>
      {(busy) => (
        <>
          <input type="hidden" name="account" value={props.other.account} />
          <input type="hidden" name="address" value={props.other.id} />
          <Button look="quiet" busy={busy} aria-label={props.label}>
            {props.words}
          </Button>
        </>
      )}
    </PostForm>
  );
}
