import { useCallback, useEffect, useState } from 'react';
import { troubleOf } from '../../form/failure';
import { useText } from '../../i18n/provider';
import { useRestoredPage } from '../../lib/use-restored-page';
import type { Offer, OfferOptions } from '../../passkey/offer';
import { PasskeyButton } from '../../ui/passkey-button';

interface PasskeyProps {
  body: OfferOptions['body'];
  field: () => HTMLInputElement | null;
  /** Shows words in the place of the form's errors. */
  tell: (words: string) => void;
  /** Called when the device can make a passkey, so that one may be offered after the sign-in. */
  onAble: () => void;
}

/**
 * The sign-in with a passkey: a button, and an offer in the menu of the email field. Their code
 * loads after the page, which works without it.
 */
export function Passkey({ body, field, tell, onAble }: PasskeyProps) {
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
      void made.arm();
      if (await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()) onAble();
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
    <PasskeyButton type="button" ready={offer !== undefined} busy={busy} onClick={press}>
      {t('signin.passkey')}
    </PasskeyButton>
  );
}
