import type { Boot } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import { choose, When } from '../lib/template';
import { ButtonLink } from '../ui/button';
import { Notice } from '../ui/message';

/** Says which account is signed in and offers to continue with it. The form is for another account. */
export function SignedIn({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <When value={boot.session.email}>
      <Notice words={t('common.signed_in_as', { email: boot.session.email })}>
        <ButtonLink look="quiet" href={choose(boot.next, boot.next, '/auth/account')}>
          {t('common.continue')}
        </ButtonLink>
      </Notice>
    </When>
  );
}
