import type { Boot, DeleteAccount } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import '../../ui/bullets.css';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { Changes } from '../own/changes';
import { Confirm } from '../own/confirm';
import { OwnPage } from '../own/own-page';
import { Proof } from '../own/proof';
import { useOwnForm } from '../own/use-own-form';
import type { Screen } from '../screen';
import { Timed } from '../timed';

const PATH = '/auth/account/delete';

/** Says how the account ends, with the button that begins it. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useOwnForm('/auth/api/account/delete', boot);
  const time = boot.account.erase_at;
  return (
    <OwnPage boot={boot} at="delete" title={screen.title(boot, text)} form={form}>
      <Proof asked={form.asked} path={PATH} />
      <Lead>{t('account-delete.lead', { email: boot.session.email })}</Lead>
      <ul className="bullets">
        <li>{t('account-delete.now')}</li>
        <li>
          <Timed words={t('account-delete.until')} of={time} />
        </li>
        <li>{t('account-delete.then', { brand: boot.brand.name })}</li>
        <li>{t('account-delete.apps')}</li>
      </ul>
      <Changes boot={boot}>
        <Confirm
          id="delete"
          press={t('account-delete.submit')}
          title={t('account-delete.confirm', { email: boot.session.email })}
          says={<Timed words={t('account-delete.confirm_says')} of={time} />}
        >
          <form {...form.props} action={PATH}>
            <HiddenField<DeleteAccount> name="account" value={boot.session.id} />
            <Button busy={form.busy} wait={form.wait}>
              {t('account-delete.submit')}
            </Button>
          </form>
        </Confirm>
      </Changes>
    </OwnPage>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-delete.title'), View };
