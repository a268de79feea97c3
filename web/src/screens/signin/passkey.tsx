import { useCallback, useEffect, useState } from 'react';
import { troubleOf } from '../../form/failure';
import { useText } from '../../i18n/provider';
import { useRestoredPage } from '../../lib/use-restored-page';
import type { Offer, OfferOptions } from '../../passkey/offer';
import { Button } from '../../ui/button';
import styles from './passkey.module.css';

interface PasskeyProps {
  body: OfferOptions['body'];
  field: () => HTMLInputElement | null;
  /** Shows words in the place of the form's errors. */
  tell: (words: string) => void;
}

/**
 * The sign-in with a passkey: a button, and an offer in the menu of the email field. Their code
 * loads after the page is painted and works. Until then, and where the browser has no passkeys,
 * the button is invisible and keeps its place, so that nothing moves.
 */
export function Passkey({ body, field, tell }: PasskeyProps) {
  const text = useText();
  const { t } = text;
  const [offer, setOffer] = useState<Offer>();
  const [busy, setBusy] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: one offer for a page
  useEffect(() => {
    if (!globalThis.PublicKeyCredential) return;
    let made: Offer | undefined;
    let gone = false;
    const load = async () => {
      const { offerOf } = await import('../../passkey/offer');
      if (gone) return;
      made = offerOf({
        body,
        field: field(),
        onBusy: setBusy,
        onTrouble: (trouble) =>
          tell(typeof trouble === 'string' ? t(`signin.passkey_${trouble}`) : troubleOf(trouble, text).form),
      });
      setOffer(made);
      await made.arm();
    };
    load().catch(() => undefined); // the password still works
    return () => {
      gone = true;
      made?.stop();
    };
  }, []);
  useRestoredPage(
    useCallback(() => {
      setBusy(false);
      void offer?.arm();
    }, [offer]),
  );

  const press = () => {
    if (busy) return;
    tell('');
    void offer?.press();
  };
  return (
    <div className={styles.place} data-ready={offer ? '' : undefined}>
      <Button
        type="button"
        look="secondary"
        busy={busy}
        onClick={press}
        served={
          import.meta.env.SSR ? (
            <svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
              <path d="M15.5 2a6.5 6.5 0 0 0-6.2 8.5L2 17.8V22h4.200v-2.500h2.500V17h2.500l2.300-2.300A6.5 6.5 0 1 0 15.5 2zm1.700 6.600a1.8 1.8 0 1 1 0-3.6 1.8 1.8 0 0 1 0 3.6z" />
            </svg>
          ) : null
        }
      >
        {t('signin.passkey')}
      </Button>
    </div>
  );
}
