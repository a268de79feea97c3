import { useState } from 'react';
import type { Failure } from '../../api/problem';
import type { Boot } from '../../api/schema.gen';
import { troubleOf } from '../../form/failure';
import { GONE, UNPROVEN } from '../../form/reload-when-over';
import { useText } from '../../i18n/provider';
import { Unless, When } from '../../lib/template';
import { usePress } from '../../lib/use-press';
import { createPasskey } from '../../passkey/create';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import '../../ui/scripted.css';
import { Proof, useProven } from '../own/proof';
import styles from './passkeys.module.css';

/** Adds a passkey. It needs script; the browser leads through the rest. */
export function Add({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const [asked, setAsked] = useState('');
  const { busy, setBusy, words, setWords, summary, begin } = usePress();
  useProven(() => setAsked(''));

  const wordsOf = (trouble: Failure | 'cancelled' | 'held' | 'unsupported') => {
    if (typeof trouble === 'string') return t(`common.passkey_${trouble}`);
    const { code, form } = troubleOf(trouble, text);
    if (GONE.test(code)) location.reload();
    if (!UNPROVEN.test(code)) return form;
    setAsked('yes');
    return '';
  };

  const add = async () => {
    if (!begin()) return;
    const made = await createPasskey('/auth/api/account/passkeys', { account: boot.session.id });
    if ('next' in made) return location.assign(made.next);
    setBusy(false);
    setWords(wordsOf(made.trouble));
  };

  return (
    <>
      <Proof asked={asked} path="/auth/account/passkeys" />
      <ErrorSummary words={words} ref={summary} />
      <Unless value={boot.passkeys.full}>
        <div className={`${styles.add} needs-script`}>
          <Button type="button" busy={busy} onClick={add}>
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
