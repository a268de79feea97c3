import { useCallback, useEffect, useRef, useState } from 'react';
import type { Boot } from '../../api/schema.gen';
import { troubleOf } from '../../form/failure';
import { useText } from '../../i18n/provider';
import { useRestoredPage } from '../../lib/use-restored-page';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import styles from './use-passkey.module.css';

const NO_REQUEST = { id: '', words: '' };

/** Asks for a passkey in a dialog of the browser. It needs script; its code loads with the press. */
export function UsePasskey({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const summary = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useState('');
  useRestoredPage(useCallback(() => setBusy(false), []));
  useEffect(() => {
    if (words) summary.current?.focus();
  }, [words]);

  const press = async () => {
    if (busy) return;
    setBusy(true);
    setWords('');
    if (!globalThis.PublicKeyCredential) {
      setBusy(false);
      return setWords(t('mfa.passkey.unsupported'));
    }
    const { offerOf } = await import('../../passkey/offer');
    await offerOf({
      body: { return_to: boot.return_to, flow: '', second: boot.mfa.second },
      field: null,
      onBusy: setBusy,
      onTrouble: (trouble) => {
        const { code, form } =
          typeof trouble === 'string'
            ? { code: '', form: t(`mfa.passkey.${trouble}`) }
            : troubleOf(trouble, text);
        if (OVER.test(code)) location.reload();
        else setWords(form);
      },
    }).press();
  };

  return (
    <>
      <ErrorSummary words={words} requestId={NO_REQUEST} ref={summary} />
      <div className={styles.press}>
        <Button type="button" busy={busy} onClick={press}>
          {t('mfa.passkey.use')}
        </Button>
      </div>
      <div className={styles.script}>
        <Hint>{t('mfa.passkey.script')}</Hint>
      </div>
    </>
  );
}

/** The step or the session has ended: the page shows what holds now. */
const OVER = /^(flow\.|session\.)/;
