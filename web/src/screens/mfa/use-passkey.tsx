import type { Boot } from '../../api/schema.gen';
import { troubleOf } from '../../form/failure';
import { OVER } from '../../form/reload-when-over';
import { useText } from '../../i18n/provider';
import { usePress } from '../../lib/use-press';
import { offerOf } from '../../passkey/offer';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import '../../ui/scripted.css';

/** Asks for a passkey in a dialog of the browser. It needs script. */
export function UsePasskey({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { busy, setBusy, words, setWords, summary, begin } = usePress();

  const press = async () => {
    if (!begin()) return;
    if (!globalThis.PublicKeyCredential) {
      setBusy(false);
      return setWords(t('mfa.passkey.unsupported'));
    }
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
      <ErrorSummary words={words} ref={summary} />
      <div className="needs-script">
        <Button type="button" busy={busy} onClick={press}>
          {t('mfa.passkey.use')}
        </Button>
      </div>
      <div className="without-script">
        <Hint>{t('mfa.passkey.script')}</Hint>
      </div>
    </>
  );
}
