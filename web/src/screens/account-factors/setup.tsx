import type { Boot, ConfirmFactor } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import { CodeField } from '../../ui/code-field';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { AppSecret } from '../app-secret';
import { OwnFrame } from '../own/own-frame';

/** The secret of a new authenticator app, and the field for its first code. */
export function Setup({ boot, title }: { boot: Boot; title: string }) {
  const { t } = useText();
  const form = useForm({ boot, path: '/auth/api/factors/confirm', onTrouble: reloadWhenOver });
  return (
    <OwnFrame boot={boot} at="factors" title={title} form={form}>
      <AppSecret boot={boot} />
      <form {...form.props} action={`/auth/account/factors?flow=${boot.flow.id}`}>
        <HiddenField<ConfirmFactor> name="flow" value={boot.flow.id} />
        <CodeField
          label={t('common.app_code')}
          hint={t('common.app_hint')}
          error={form.trouble.fields.code}
        />
        <Button busy={form.busy} wait={form.wait}>
          {t('common.app_submit')}
        </Button>
      </form>
      <Footer>
        <a href="/auth/account/factors">{t('account-factors.setup.cancel')}</a>
      </Footer>
    </OwnFrame>
  );
}
