import { useEffect } from 'react';
import type { Boot, ProtectByApp, Protection } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { writeLocalTimes } from '../../lib/local-times';
import { When } from '../../lib/template';
import { Button } from '../../ui/button';
import { CodeField } from '../../ui/code-field';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { AppSecret } from '../app-secret';
import { Frame } from '../frame';
import { OtherWay } from '../other-way';
import type { Screen } from '../screen';
import { Timed } from '../timed';
import { useFlowRefresh } from '../use-flow-refresh';
import { MakePasskey } from './make-passkey';
import styles from './protect.module.css';

/** Adds a second factor that the account needs, before the session begins. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { flow, protect } = boot;
  const { email } = flow;
  const form = useForm({ boot, path: '/auth/api/protect', onTrouble: reloadWhenOver });
  useFlowRefresh(boot.flow);
  useEffect(() => writeLocalTimes(text.locale));
  return (
    <Frame boot={boot} title={screen.title(boot, text)} form={form}>
      <Lead>
        <When value={protect.until.at} otherwise={<span>{t('protect.lead', { email })}</span>}>
          <Timed words={t('protect.lead_until', { email })} of={protect.until} />
        </When>
      </Lead>
      <AppSecret boot={boot} />
      <form {...form.props} action={`/auth/protect?flow=${flow.id}`}>
        <HiddenField<ProtectByApp> name="flow" value={flow.id} />
        <CodeField
          label={t('common.app_code')}
          hint={t('common.app_hint')}
          error={form.trouble.fields.code}
        />
        <Button busy={form.busy} wait={form.wait}>
          {t('common.app_submit')}
        </Button>
      </form>
      <When value={boot.settings.passkeys}>
        <MakePasskey boot={boot} />
      </When>
      <When value={protect.later}>
        <Later boot={boot} />
      </When>
      <OtherWay flow={flow} step="protect/restart">
        {t('protect.restart')}
      </OtherWay>
    </Frame>
  );
}

function Later({ boot: { flow } }: { boot: Boot }) {
  const { t } = useText();
  const form = useForm({ path: '/auth/api/protect/later', onTrouble: reloadWhenOver });
  return (
    <form {...form.props} action={`/auth/protect/later?flow=${flow.id}`} className={styles.other}>
      <ErrorSummary {...form.summary} />
      <HiddenField<Protection> name="flow" value={flow.id} />
      <Button look="secondary" busy={form.busy} wait={form.wait}>
        {t('protect.later')}
      </Button>
    </form>
  );
}

export const screen: Screen = { title: (_, { t }) => t('protect.title'), View };
