import type { Boot } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import { When } from '../lib/template';
import { LanguageMenu } from '../ui/language-menu';

/** The line at the bottom of every page. It is rendered at build time only: see the footer of AuthPage. */
export function PageFooter({ boot }: { boot: Boot }) {
  const { t, locale } = useText();
  return (
    <>
      <LanguageMenu
        languages={boot.locales}
        current={locale}
        name={t('common.language')}
        label={t('common.choose_language', { language: t('common.language') })}
        page={boot.here}
      />
      {(
        [
          ['imprint', 'common.imprint'],
          ['privacy', 'common.privacy'],
          ['terms', 'common.terms'],
        ] as const
      ).map(([page, words]) => (
        <When key={page} value={boot.legal[page]}>
          <a href={boot.legal[page]}>{t(words)}</a>
        </When>
      ))}
    </>
  );
}
