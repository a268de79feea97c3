import type { Boot, OtherAddress } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, Unless, When } from '../../lib/template';
import { Changes } from '../own/changes';
import { Confirm } from '../own/confirm';
import { Badge, Entries, Entry, Icon } from '../own/entry';
import { Press } from '../own/press';
import { Timed } from '../timed';

interface AddressesProps {
  boot: Boot;
  path: string;
}

/** The address that signs in, and the others with what can be done with each. */
export function Addresses({ boot, path }: AddressesProps) {
  const { t } = useText();
  return (
    <Entries>
      <Entry icon={<Icon icon="mail" />} name={boot.session.email}>
        <span>{t('account-addresses.signs_in')}</span>
      </Entry>
      <Each of={boot.account.addresses}>{(other) => <Other boot={boot} other={other} path={path} />}</Each>
    </Entries>
  );
}

function Other({ boot, other, path }: AddressesProps & { other: OtherAddress }) {
  const { t } = useText();
  return (
    <Entry
      icon={<Icon icon="mail" />}
      name={other.address}
      badge={
        <When value={other.recovery}>
          <Badge>{t('account-addresses.recovery')}</Badge>
        </When>
      }
      more={
        <Unless value={other.until.at}>
          <Changes boot={boot}>
            <Actions boot={boot} other={other} path={path} />
          </Changes>
        </Unless>
      }
    >
      <When
        value={other.until.at}
        otherwise={
          <Unless value={other.recovery}>
            <span>{t('account-addresses.spare')}</span>
          </Unless>
        }
      >
        <Timed words={t('account-addresses.kept')} of={other.until} />
      </When>
    </Entry>
  );
}

function Actions({ boot, other, path }: AddressesProps & { other: OtherAddress }) {
  const { t } = useText();
  const named = { address: other.address };
  const about = { boot, entry: ['address', other.id] as [string, string] };
  const primary = t('account-addresses.make_primary_named', named);
  const remove = t('account-addresses.remove_named', named);
  const says = t('account-addresses.after');
  return (
    <>
      <Unless value={other.recovery}>
        <Press
          {...about}
          action={`${path}/recovery`}
          label={t('account-addresses.set_recovery_named', named)}
        >
          {t('account-addresses.set_recovery')}
        </Press>
      </Unless>
      <Confirm
        id={`primary-${other.id}`}
        press={t('account-addresses.make_primary')}
        label={primary}
        title={primary}
        calm
        says={says}
      >
        <Press {...about} action={`${path}/primary`} last>
          {t('account-addresses.make_primary')}
        </Press>
      </Confirm>
      <Confirm
        id={`remove-${other.id}`}
        press={t('account-addresses.remove')}
        label={remove}
        title={remove}
        says={says}
      >
        <Press {...about} action={`${path}/remove`} last>
          {t('account-addresses.remove')}
        </Press>
      </Confirm>
    </>
  );
}
