import { useText } from '../../i18n/provider';

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
