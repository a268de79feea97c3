import type { Boot, Passkey, RemovePasskey, RenamePasskey } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { choose, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { ErrorSummary } from '../../ui/message';
import { More } from '../../ui/more';
import { TextField } from '../../ui/text-field';
import { Changes } from '../own/changes';
import { Entry, Icon } from '../own/entry';
import { Proof } from '../own/proof';
import { useOwnForm } from '../own/use-own-form';
import { Timed } from '../timed';
import styles from './passkeys.module.css';

const PATH = '/auth/account/passkeys';

/** One passkey, with the forms that rename and remove it. */
export function OnePasskey({ boot, passkey }: { boot: Boot; passkey: Passkey }) {
  const { t } = useText();
  return (
    <Entry
      icon={<Icon icon="key" />}
      name={choose(passkey.name, passkey.name, t('account-passkeys.unnamed'))}
      more={
        <Changes boot={boot}>
          <More label={t('account-passkeys.change')}>
            <Rename boot={boot} passkey={passkey} />
            <Remove boot={boot} passkey={passkey} />
          </More>
        </Changes>
      }
    >
      <When
        value={passkey.other}
        otherwise={
          <When value={passkey.used.at}>
            <Timed words={t('account-passkeys.used')} of={passkey.used} />
          </When>
        }
      >
        <span className="entry-wrong">{t('account-passkeys.other', { host: passkey.other })}</span>
      </When>
      <Timed words={t('account-passkeys.added')} of={passkey.added} />
    </Entry>
  );
}

function Rename({ boot, passkey }: { boot: Boot; passkey: Passkey }) {
  const { t } = useText();
  const form = useOwnForm('/auth/api/account/passkeys/rename');
  return (
    <>
      <Proof asked={form.asked} path={PATH} typed />
      <form {...form.props} action={`${PATH}/rename`}>
        <ErrorSummary {...form.summary} />
        <HiddenField<RenamePasskey> name="account" value={boot.session.id} />
        <HiddenField<RenamePasskey> name="id" value={passkey.id} />
        <TextField
          name="name"
          id={`name-${passkey.id}`}
          label={t('account-passkeys.name')}
          defaultValue={passkey.typed}
          error={form.trouble.fields.name}
          autoComplete="off"
          maxLength={100}
        />
        <Button look="secondary" busy={form.busy} wait={form.wait}>
          {t('account-passkeys.rename')}
        </Button>
      </form>
    </>
  );
}

function Remove({ boot, passkey }: { boot: Boot; passkey: Passkey }) {
  const { t } = useText();
  const form = useOwnForm('/auth/api/account/passkeys/remove');
  return (
    <>
      <Proof asked={form.asked} path={PATH} />
      <form {...form.props} action={`${PATH}/remove`} className={styles.remove}>
        <ErrorSummary {...form.summary} />
        <HiddenField<RemovePasskey> name="account" value={boot.session.id} />
        <HiddenField<RemovePasskey> name="id" value={passkey.id} />
        <p>{t('account-passkeys.remove_lead')}</p>
        <When value={passkey.last}>
          <p>{t('account-passkeys.remove_last')}</p>
        </When>
        <div className="final">
          <Button busy={form.busy} wait={form.wait}>
            {t('account-passkeys.remove')}
          </Button>
        </div>
      </form>
    </>
  );
}
