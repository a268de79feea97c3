import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { AuthPage } from '../../ui/auth-page';
import { ButtonLink } from '../../ui/button';
import { Lead } from '../../ui/lead';
import { PageFooter } from '../page-footer';
import type { Screen } from '../screen';

/**
 * The page before a provider. The document redirects by itself and has no script.
 * Its button is for a browser that does not redirect, and for a slow provider.
 */
function View({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <AuthPage brand={boot.brand} title={boot.title} footer={<PageFooter boot={boot} />}>
      <Lead>{t('leaving.lead')}</Lead>
      <ButtonLink href={boot.next}>{boot.next_label}</ButtonLink>
    </AuthPage>
  );
}

export const screen: Screen = { title: ({ title }) => title, View };
