import type { Boot, ResetPassword } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { oneOf } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { UsernameField } from '../../ui/username-field';
import { Frame } from '../frame';
import { NewPasswordFields } from '../new-password-fields';
import type { Screen } from '../screen';
import { SignedInOther } from '../signed-in-other';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useForm({ boot, path: '/auth/api/reset-password', onTrouble: reloadWhenOver });

  return (
    <Frame boot={boot} title={screen.title(boot, text)} form={form}>
      <SignedInOther boot={boot} address={boot.flow.email} />
      <Lead>
        {oneOf(
          boot.flow.kind,
          { signup: t('reset-password.signup.lead', { address: boot.flow.email }) },
          t('reset-password.lead_for', { address: boot.flow.email }),
        )}
      </Lead>
      <form {...form.props}>
        <HiddenField<ResetPassword> name="flow" value={boot.flow.id} />
        <UsernameField value={boot.flow.email} />
        <NewPasswordFields boot={boot} label={t('reset-password.password')} trouble={form.trouble} />
        <Button busy={form.busy} wait={form.wait}>
          {t('reset-password.submit')}
        </Button>
      </form>
    </Frame>
  );
}

export const screen: Screen = {
  title: ({ flow }, { t }) =>
    oneOf(flow.kind, { signup: t('reset-password.signup.title') }, t('reset-password.title')),
  View,
};
