import type { Boot, ChangeProfile } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Button } from '../../ui/button';
import field from '../../ui/field.module.css';
import { HiddenField } from '../../ui/hidden-field';
import { NameField } from '../../ui/name-field';
import { OwnPage } from '../own/own-page';
import { Proof } from '../own/proof';
import { useOwnForm } from '../own/use-own-form';
import { useUserSignal } from '../own/use-signals';
import type { Screen } from '../screen';
import { Picture } from './picture';
import { Undo } from './undo';

const PATH = '/auth/account/profile';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  useUserSignal(boot);
  const form = useOwnForm('/auth/api/account/profile', boot);
  return (
    <OwnPage
      boot={boot}
      at="profile"
      title={screen.title(boot, text)}
      form={form}
      undo={<Undo boot={boot} />}
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
        <Languages boot={boot} />
        <Button busy={form.busy} wait={form.wait}>
          {t('account-profile.submit')}
        </Button>
      </form>
    </OwnPage>
  );
}

function Languages({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <div className={field.field}>
      <label className={field.label} htmlFor="locale">
        {t('account-profile.language')}
      </label>
      <select className={field.input} id="locale" name="locale">
        <Each of={boot.account.languages}>
          {({ id, name, chosen }) => {
            const option = (selected: boolean) => (
              <option value={id} lang={id} selected={selected}>
                {name}
              </option>
            );
            return (
              <When value={chosen} otherwise={option(false)}>
                {option(true)}
              </When>
            );
          }}
        </Each>
      </select>
    </div>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-profile.title'), View };
