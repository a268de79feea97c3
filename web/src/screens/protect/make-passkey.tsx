import type { Boot } from '../../api/schema.gen';
import { troubleOf } from '../../form/failure';
import { OVER } from '../../form/reload-when-over';
import { useText } from '../../i18n/provider';
import { go } from '../../lib/fragment';
import { usePress } from '../../lib/use-press';
import { createPasskey } from '../../passkey/create';
import { Button } from '../../ui/button';
import { ErrorSummary } from '../../ui/message';
import '../../ui/scripted.css';
import styles from './protect.module.css';

/** Makes a passkey in place of an authenticator app. It needs script. */
export function MakePasskey({ boot: { flow } }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { busy, setBusy, words, setWords, summary, begin } = usePress();

  const press = async () => {
    if (!begin()) return;
    const made = await createPasskey('/auth/api/protect/passkey', { flow: flow.id });
    if ('next' in made) return go(made.next); // stays busy until the next page loads
    setBusy(false);
    if (typeof made.trouble === 'string') return setWords(t(`common.passkey_${made.trouble}`));
    const { code, form } = troubleOf(made.trouble, text);
    if (OVER.test(code)) location.reload();
    else setWords(form);
  };

  return (
    <div className={`${styles.other} needs-script`}>
      <ErrorSummary words={words} ref={summary} />
      <Button type="button" look="secondary" busy={busy} onClick={press}>
        {t('protect.passkey')}
      </Button>
    </div>
  );
}
