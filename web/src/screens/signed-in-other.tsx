import type { Boot } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import { When } from '../lib/template';
import { Notice } from '../ui/message';

/** Names both accounts when the session that this screen starts replaces another account's session. */
export function SignedInOther({ boot, address }: { boot: Boot; address: string }) {
  const { t } = useText();
  return (
    <When value={boot.session.email}>
      <Notice words={t('common.signed_in_other', { email: boot.session.email, address })} />
    </When>
  );
}
