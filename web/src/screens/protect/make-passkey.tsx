import { useEffect, useRef, useState } from 'react';
import type { Boot } from '../../api/schema.gen';
import { troubleOf } from '../../form/failure';
import { useText } from '../../i18n/provider';
import { go } from '../../lib/fragment';
import { createPasskey } from '../../passkey/create';
import { Button } from '../../ui/button';
import { ErrorSummary } from '../../ui/message';
import styles from './protect.module.css';

const NO_REQUEST = { id: '', words: '' };

/** The step has ended: the page shows what holds now. */
const OVER = /^flow\./;

/** Makes a passkey in place of an authenticator app. It needs script. */
export function MakePasskey({ boot: { flow } }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const summary = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useState('');
  useEffect(() => {
    if (words) summary.current?.focus();
  }, [words]);

  const press = async () => {
    if (busy) return;
    setBusy(true);
    setWords('');
    const made = await createPasskey('/auth/api/protect/passkey', { flow: flow.id });
    if ('next' in made) return go(made.next); // stays busy until the next page loads
    setBusy(false);
    if (typeof made.trouble === 'string') return setWords(t(`common.passkey_${made.trouble}`));
    const { code, form } = troubleOf(made.trouble, text);
    if (OVER.test(code)) location.reload();
    else setWords(form);
  };

  return (
    <div className={`${styles.other} ${styles['needs-script']}`}>
      <ErrorSummary words={words} requestId={NO_REQUEST} ref={summary} />
      <Button type="button" look="secondary" busy={busy} onClick={press}>
        {t('protect.passkey')}
      </Button>
    </div>
  );
}
