import type { Boot } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import { LanguageMenu } from '../ui/language-menu';

/** The line at the bottom of every page. It is rendered at build time only: see the footer of AuthPage. */
export function PageFooter({ boot }: { boot: Boot }) {
  const { t, locale } = useText();
  return (
    <LanguageMenu
      languages={boot.locales}
      current={locale}
      name={t('common.language')}
      label={t('common.choose_language', { language: t('common.language') })}
      page={boot.here}
    />
  );
}
