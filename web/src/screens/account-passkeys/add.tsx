import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../api/problem';
import type { Boot } from '../../api/schema.gen';
import { troubleOf } from '../../form/failure';
import { useText } from '../../i18n/provider';
import { Unless, When } from '../../lib/template';
import { createPasskey } from '../../passkey/create';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { Proof, useProven } from '../own/proof';
import { UNPROVEN } from '../own/use-own-form';
import styles from './passkeys.module.css';

const NO_REQUEST = { id: '', words: '' };

/** Adds a passkey. It needs script; the browser leads through the rest. */
export function Add({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { errors } = boot;
  const summary = useRef<HTMLDivElement>(null);
  const [asked, setAsked] = useState(boot.again);
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useState(errors.form);
  useProven(() => setAsked(''));
  useEffect(() => {
    if (words) summary.current?.focus();
  }, [words]);

  const wordsOf = (trouble: Failure | 'cancelled' | 'held' | 'unsupported') => {
    if (typeof trouble === 'string') return t(`common.passkey_${trouble}`);
    const { code, form } = troubleOf(trouble, text);
    if (code === 'account.changed') location.reload();
    if (!UNPROVEN.test(code)) return form;
    setAsked('yes');
    return '';
  };

  const add = async () => {
    if (busy) return;
    setBusy(true);
    setWords('');
    const made = await createPasskey('/auth/api/account/passkeys', { account: boot.session.id });
    if ('next' in made) return location.assign(made.next);
    setBusy(false);
    setWords(wordsOf(made.trouble));
  };

  return (
    <>
      <Proof asked={asked} path="/auth/account/passkeys" />
      <ErrorSummary words={words} requestId={NO_REQUEST} ref={summary} />
      <When value={errors.fields.name}>
        <ErrorSummary words={errors.fields.name} requestId={NO_REQUEST} />
      </When>
      <Unless value={boot.passkeys.full}>
        <div className={styles.add}>
          <Button type="button" busy={busy} onClick={add}>
            {t('account-passkeys.add')}
          </Button>
        </div>
        <div className={styles.script}>
          <Hint>{t('account-passkeys.script')}</Hint>
        </div>
      </Unless>
    </>
  );
}
