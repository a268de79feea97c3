import { useEffect, useRef } from 'react';
import type { Boot } from '../../api/schema.gen';
import { usePress } from '../../form/use-press';
import { useText } from '../../i18n/provider';
import { go } from '../../lib/fragment';
import { createPasskey, createQuietly } from '../../passkey/create';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import '../../ui/scripted.css';
import { Proof, useAsked } from '../own/proof';

/** The button that makes the passkey. It needs script; the browser leads through the rest. */
export function Create({ boot }: { boot: Boot }) {
  const { t } = useText();
  const quiet = useRef<AbortController>(null);
  const { asked, ask } = useAsked('');
  const { busy, wait, summary, begin, fail } = usePress(
    (word: 'cancelled' | 'held' | 'unsupported') =>
      t(word === 'cancelled' ? 'new-passkey.cancelled' : 'new-passkey.unsupported'),
    ask,
  );
  const { id: account } = boot.session;
  const { id: flow } = boot.flow;
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

  const create = async () => {
    if (!begin()) return;
    quiet.current?.abort();
    const made = flow
      ? await createPasskey('/auth/api/signup/passkey', { flow })
      : await createPasskey('/auth/api/account/passkeys', { account });
    if ('next' in made)
      go(flow ? made.next : boot.next); // stays busy until the next page loads
    else fail(made.trouble);
  };

  return (
    <>
      <Proof asked={asked} path="/auth/account/passkeys" />
      <ErrorSummary {...summary} />
      <div className="needs-script">
        <Button type="button" busy={busy} wait={wait} onClick={create}>
          {t('new-passkey.create')}
        </Button>
      </div>
      <div className="without-script">
        <Hint>{t('new-passkey.script')}</Hint>
      </div>
    </>
  );
}
