import type { Boot, ChangePassword, RemovePassword } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { oneOf, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { UsernameField } from '../../ui/username-field';
import { NewPasswordFields } from '../new-password-fields';
import { Changes } from '../own/changes';
import { Confirm } from '../own/confirm';
import { OwnPage } from '../own/own-page';
import { Proof } from '../own/proof';
import { useOwnForm } from '../own/use-own-form';
import type { Screen } from '../screen';

const PATH = '/auth/account/password';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useOwnForm('/auth/api/account/password', boot);

  return (
    <OwnPage boot={boot} at="password" title={screen.title(boot, text)} form={form}>
      <Proof asked={form.asked} path={PATH} typed refused={boot.errors.code} />
      <Changes boot={boot}>
        <Lead>
          {oneOf(boot.account.password, { none: t('account-password.none') }, t('account-password.lead'))}
        </Lead>
        <form {...form.props} action={PATH}>
          <HiddenField<ChangePassword> name="account" value={boot.session.id} />
          <UsernameField value={boot.session.email} />
          <NewPasswordFields boot={boot} label={t('account-password.password')} trouble={form.trouble} />
          <Button busy={form.busy} wait={form.wait}>
            {t('account-password.submit')}
          </Button>
        </form>
      </Changes>
      <When value={boot.account.password} is="removable">
        <Remove boot={boot} />
      </When>
    </OwnPage>
  );
}

/** Removes the password of an account that has another way in. */
function Remove({ boot }: { boot: Boot }) {
  const { t } = useText();
  const form = useOwnForm('/auth/api/account/password/remove');
  const remove = t('account-password.remove');
  return (
    <section className="end">
      <h2>{remove}</h2>
      <Proof asked={form.asked} path={PATH} />
      <ErrorSummary {...form.summary} />
      <Lead>{t('account-password.remove_lead')}</Lead>
      <Confirm id="remove" press={remove} title={remove} says={t('account-password.remove_lead')}>
        <form {...form.props} action={`${PATH}/remove`}>
          <HiddenField<RemovePassword> name="account" value={boot.session.id} />
          <Button busy={form.busy} wait={form.wait}>
            {remove}
          </Button>
        </form>
      </Confirm>
    </section>
  );
}

export const screen: Screen = {
  title: ({ account }, { t }) =>
    oneOf(account.password, { none: t('account-password.title_none') }, t('account-password.title')),
  View,
};
