import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';

/** The way back to all sections, where no rail shows them. It is rendered at build time only. */
export function Back() {
  const { t } = useText();
  return (
    <nav aria-label={t('section.back_label')}>
      <a href="/auth/account">
        <span aria-hidden="true">‹ </span>
        {t('section.back')}
      </a>
    </nav>
  );
}

/** The way back to the app that the visitor came from, where one is known. It is rendered at build time only. */
export function BackToApp({ boot }: { boot: Boot }) {
  return (
    <When value={boot.back}>
      <a className="back-app" href={boot.back}>
        <span aria-hidden="true">‹ </span>
        {boot.back_label}
      </a>
    </When>
  );
}
