import { useCallback, useEffect, useState } from 'react';
import { NO_TROUBLE, troubleOf } from '../../form/failure';
import type { Form } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { useStay } from '../../lib/use-restored-page';
import { useReturn } from '../../lib/use-return';
import type { Offer, OfferOptions } from '../../passkey/offer';
import { PasskeyButton } from '../../ui/passkey-button';

interface PasskeyProps {
  body: OfferOptions['body'];
  field: () => HTMLInputElement | null;
  /** The form in whose place of errors its own are shown. */
  form: Pick<Form<object>, 'clear' | 'tell'>;
  /** Called when the device can make a passkey, so that one may be offered after the sign-in. */
  onAble: () => void;
}

/**
 * The sign-in with a passkey: a button, and an offer in the menu of the email field. Their code
 * loads after the page, which works without it.
 */
export function Passkey({ body, field, form, onAble }: PasskeyProps) {
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
          form.tell(
            typeof trouble === 'string'
              ? { ...NO_TROUBLE, form: t(`signin.passkey_${trouble}`) }
              : troubleOf(trouble, text),
          ),
      });
      setOffer(made);
      made.renew();
      if (await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()) onAble();
    };
    load().catch(() => undefined); // the password still works
    return () => {
      gone = true;
      made?.stop();
    };
  }, []);
  useStay(
    useCallback(() => {
      setBusy(false);
      void offer?.arm();
    }, [offer]),
  );
  useReturn(useCallback(() => offer?.renew(), [offer]));

  const press = () => {
    if (busy) return;
    form.clear();
    void offer?.press();
  };
  return (
    <PasskeyButton type="button" ready={offer !== undefined} busy={busy} onClick={press}>
      {t('signin.passkey')}
    </PasskeyButton>
  );
}
