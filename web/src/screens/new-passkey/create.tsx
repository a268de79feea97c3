import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../api/problem';
import type { Boot } from '../../api/schema.gen';
import { troubleOf } from '../../form/failure';
import { GONE, UNPROVEN } from '../../form/reload-when-over';
import { useText } from '../../i18n/provider';
import { go } from '../../lib/fragment';
import { usePress } from '../../lib/use-press';
import { createPasskey, createQuietly } from '../../passkey/create';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import '../../ui/scripted.css';
import { Proof, useProven } from '../own/proof';

/** The button that makes the passkey. It needs script; the browser leads through the rest. */
export function Create({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const quiet = useRef<AbortController>(null);
  const [asked, setAsked] = useState('');
  const { busy, setBusy, words, setWords, summary, begin } = usePress();
  const { id: account } = boot.session;
  const { id: flow } = boot.flow;
  useProven(() => setAsked(''));
  useEffect(() => {
    if (flow) return;
    const mine = new AbortController();
    quiet.current = mine;
    createQuietly(account, mine.signal).then(
      (made) => made && go(boot.next),
      () => undefined, // the button is still there
    );
    return () => mine.abort();
  }, [account, flow, boot.next]);

  const wordsOf = (trouble: Failure | 'cancelled' | 'held' | 'unsupported') => {
    if (typeof trouble === 'string')
      return t(trouble === 'cancelled' ? 'new-passkey.cancelled' : 'new-passkey.unsupported');
    const { code, form } = troubleOf(trouble, text);
    if (GONE.test(code)) location.reload();
    if (!UNPROVEN.test(code)) return form;
    setAsked('yes');
    return '';
  };

  const create = async () => {
    if (!begin()) return;
    quiet.current?.abort();
    const made = flow
      ? await createPasskey('/auth/api/signup/passkey', { flow })
      : await createPasskey('/auth/api/account/passkeys', { account });
    if ('next' in made) return go(flow ? made.next : boot.next); // stays busy until the next page loads
    setBusy(false);
    setWords(wordsOf(made.trouble));
  };

  return (
    <>
      <Proof asked={asked} path="/auth/account/passkeys" />
      <ErrorSummary words={words} ref={summary} />
      <div className="needs-script">
        <Button type="button" busy={busy} onClick={create}>
          {t('new-passkey.create')}
        </Button>
      </div>
      <div className="without-script">
        <Hint>{t('new-passkey.script')}</Hint>
      </div>
    </>
  );
}
