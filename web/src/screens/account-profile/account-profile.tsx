import type { Boot, ChangeProfile } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { NameField } from '../../ui/name-field';
import { OwnPage } from '../own/own-page';
import { Proof } from '../own/proof';
import { SelectField } from '../own/select-field';
import { useOwnForm } from '../own/use-own-form';
import { useUserSignal } from '../own/use-signals';
import type { Screen } from '../screen';
import { Picture } from './picture';
import { Undo, useKept } from './undo';
import { useTyped } from './use-typed';

const PATH = '/auth/account/profile';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  useUserSignal(boot);
  const form = useOwnForm('/auth/api/account/profile', boot);
  useTyped(form.props.ref);
  const former = useKept(boot);
  return (
    <OwnPage
      boot={boot}
      at="profile"
      title={screen.title(boot, text)}
      form={form}
      undo={<Undo boot={boot} former={former} />}
      apart={Boolean(former)}
    >
      <Proof asked={form.asked} path={PATH} typed />
      <Picture boot={boot} />
      <form {...form.props} action={PATH}>
        <HiddenField<ChangeProfile> name="account" value={boot.session.id} />
        <NameField
          label={t('account-profile.name')}
          defaultValue={boot.values.name}
          error={form.trouble.fields.name}
        />
        <SelectField<ChangeProfile>
          name="locale"
          label={t('account-profile.language')}
          list={boot.account.languages}
          languages
        />
        <Button busy={form.busy} wait={form.wait}>
          {t('account-profile.submit')}
        </Button>
      </form>
    </OwnPage>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-profile.title'), View };
