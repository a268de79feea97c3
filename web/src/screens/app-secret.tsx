import type { Boot } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import { When } from '../lib/template';
import { Lead } from '../ui/lead';
import { More } from '../ui/more';
import styles from './app-secret.module.css';

/** The secret of a new authenticator app: as a picture, as text and as a link. */
export function AppSecret({ boot: { factors } }: { boot: Boot }) {
  const { t } = useText();
  return (
    <>
      <Lead>{t('common.app_scan')}</Lead>
      <When value={factors.qr}>
        <svg
          className={styles.qr}
          viewBox={`0 0 ${factors.size} ${factors.size}`}
          role="img"
          aria-label={t('common.app_qr')}
          shapeRendering="crispEdges"
        >
          <path d={factors.qr} />
        </svg>
      </When>
      <More label={t('common.app_manual')}>
        <p>{t('common.app_key')}</p>
        <p className={styles.secret}>
          <code>{factors.secret}</code>
        </p>
        <p>
          <a href={factors.uri}>{t('common.app_open')}</a>
        </p>
      </More>
      <div className={styles.enter}>
        <Lead>{t('common.app_enter')}</Lead>
      </div>
    </>
  );
}
