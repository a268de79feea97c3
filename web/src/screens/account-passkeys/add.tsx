import type { Boot } from '../../api/schema.gen';
import { usePress } from '../../form/use-press';
import { useText } from '../../i18n/provider';
import { Unless, When } from '../../lib/template';
import { createPasskey } from '../../passkey/create';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import '../../ui/scripted.css';
import { Proof, useAsked } from '../own/proof';
import styles from './passkeys.module.css';

/** Adds a passkey. It needs script; the browser leads through the rest. */
export function Add({ boot }: { boot: Boot }) {
  const { t } = useText();
  const { asked, ask } = useAsked('');
  const { busy, wait, summary, begin, fail } = usePress(
    (word: 'cancelled' | 'held' | 'unsupported') => t(`common.passkey_${word}`),
    ask,
  );

  const add = async () => {
    if (!begin()) return;
    const made = await createPasskey('/auth/api/account/passkeys', { account: boot.session.id });
    if ('next' in made) location.assign(made.next);
    else fail(made.trouble);
  };

  return (
    <>
      <Proof asked={asked} path="/auth/account/passkeys" />
      <ErrorSummary {...summary} />
      <Unless value={boot.passkeys.full}>
        <div className={`${styles.add} needs-script`}>
          <Button type="button" busy={busy} wait={wait} onClick={add}>
            {t('account-passkeys.add')}
          </Button>
        </div>
        <div className="without-script">
          <Hint>{t('account-passkeys.script')}</Hint>
        </div>
      </Unless>
      <When value={boot.passkeys.full}>
        <Hint>{t('account-passkeys.full')}</Hint>
      </When>
    </>
  );
}
