import type { Boot, ChangeAddress } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { Button } from '../../ui/button';
import choices from '../../ui/choices.module.css';
import { HiddenField } from '../../ui/hidden-field';
import { Hint, Lead } from '../../ui/lead';
import { AddressField } from '../address-field';
import { Changes } from '../own/changes';
import { OwnPage } from '../own/own-page';
import { Proof } from '../own/proof';
import { useOwnForm } from '../own/use-own-form';
import { useUserSignal } from '../own/use-signals';
import type { Screen } from '../screen';
import { Addresses } from './list';

const PATH = '/auth/account/addresses';

/** The addresses of the account, and the form that adds one or changes the one that signs in. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  useUserSignal(boot);
  const form = useOwnForm('/auth/api/account/addresses', boot);

  return (
    <OwnPage boot={boot} at="addresses" title={screen.title(boot, text)} form={form}>
      <Proof asked={form.asked} path={PATH} typed />
      <Addresses boot={boot} path={PATH} />
      <Changes boot={boot}>
        <h2>{t('account-addresses.add')}</h2>
        <Lead>{t('account-addresses.lead')}</Lead>
        <form {...form.props} action={PATH}>
          <HiddenField<ChangeAddress> name="account" value={boot.session.id} />
          <AddressField
            label={t('account-addresses.email')}
            defaultValue={boot.values.email}
            error={form.trouble.fields.email}
            enterKeyHint="send"
          />
          <Use boot={boot} />
          <Button busy={form.busy} wait={form.wait}>
            {t('account-addresses.submit')}
          </Button>
        </form>
        <Hint>{t('account-addresses.after')}</Hint>
      </Changes>
    </OwnPage>
  );
}

/** The choice between the uses of the new address. */
function Use({ boot: { session, account } }: { boot: Boot }) {
  const { t } = useText();
  const radio = { type: 'radio', name: 'use', className: choices.radio };
  const options = (primary: boolean) => (
    <>
      <label className={choices.choice}>
        <input {...radio} value="recovery" defaultChecked={!primary} />
        <span>{t('account-addresses.use_recovery')}</span>
      </label>
      <label className={choices.choice}>
        <input {...radio} value="" defaultChecked={primary} />
        <span>{t('account-addresses.use_signin', { email: session.email })}</span>
      </label>
    </>
  );
  return (
    <fieldset className={choices.group}>
      <legend className={choices.legend}>{t('account-addresses.use')}</legend>
      <When value={account.primary} otherwise={options(false)}>
        {options(true)}
      </When>
    </fieldset>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-addresses.title'), View };
