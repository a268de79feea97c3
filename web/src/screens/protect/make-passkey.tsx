import type { Boot } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { usePress } from '../../form/use-press';
import { useText } from '../../i18n/provider';
import { go } from '../../lib/fragment';
import { createPasskey } from '../../passkey/create';
import { Button } from '../../ui/button';
import { ErrorSummary } from '../../ui/message';
import '../../ui/scripted.css';
import styles from './protect.module.css';

/** Makes a passkey in place of an authenticator app. It needs script. */
export function MakePasskey({ boot: { flow } }: { boot: Boot }) {
  const { t } = useText();
  const { busy, wait, summary, begin, fail } = usePress(
    (word: 'cancelled' | 'held' | 'unsupported') => t(`common.passkey_${word}`),
    reloadWhenOver,
  );

  const press = async () => {
    if (!begin()) return;
    const made = await createPasskey('/auth/api/protect/passkey', { flow: flow.id });
    if ('next' in made)
      go(made.next); // stays busy until the next page loads
    else fail(made.trouble);
  };

  return (
    <div className={`${styles.other} needs-script`}>
      <ErrorSummary {...summary} />
      <Button type="button" look="secondary" busy={busy} wait={wait} onClick={press}>
        {t('protect.passkey')}
      </Button>
    </div>
  );
}
