import type { Boot, ConfirmFactor } from '../../api/schema.gen';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { Button } from '../../ui/button';
import { CodeField } from '../../ui/code-field';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { More } from '../../ui/more';
import { Frame } from '../frame';
import styles from './factors.module.css';
import { toProof } from './proof';

/** The secret of a new authenticator app, and the field for its first code. */
export function Setup({ boot, title }: { boot: Boot; title: string }) {
  const { t } = useText();
  const { factors } = boot;
  const form = useForm({ boot, path: '/auth/api/factors/confirm', onTrouble: toProof });
  return (
    <Frame boot={boot} title={title} summary={form.summary} announcement={form.announcement}>
      <Lead>{t('account-factors.setup.scan')}</Lead>
      <When value={factors.qr}>
        <svg
          className={styles.qr}
          viewBox={`0 0 ${factors.size} ${factors.size}`}
          role="img"
          aria-label={t('account-factors.setup.qr')}
          shapeRendering="crispEdges"
        >
          <path d={factors.qr} />
        </svg>
      </When>
      <More label={t('account-factors.setup.manual')}>
        <p>{t('account-factors.setup.key')}</p>
        <p className={styles.secret}>
          <code>{factors.secret}</code>
        </p>
        <p>
          <a href={factors.uri}>{t('account-factors.setup.open')}</a>
        </p>
      </More>
      <Lead>{t('account-factors.setup.enter')}</Lead>
      <form {...form.props}>
        <HiddenField<ConfirmFactor> name="flow" value={boot.flow.id} />
        <CodeField
          label={t('account-factors.setup.code')}
          hint={t('account-factors.setup.hint')}
          error={form.trouble.fields.code}
        />
        <Button busy={form.busy} wait={form.wait}>
          {t('account-factors.setup.submit')}
        </Button>
      </form>
      <Footer>
        <a href="/auth/account/factors">{t('account-factors.setup.cancel')}</a>
      </Footer>
    </Frame>
  );
}
