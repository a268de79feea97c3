import type { Boot } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { usePress } from '../../form/use-press';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import '../../ui/scripted.css';

/** Asks for a passkey in a dialog of the browser. It needs script; its code loads with the press. */
export function UsePasskey({ boot }: { boot: Boot }) {
  const { t } = useText();
  const { busy, setBusy, wait, summary, begin, fail } = usePress(
    (word: 'cancelled' | 'unsupported') => t(`mfa.passkey.${word}`),
    reloadWhenOver,
  );

  const press = async () => {
    if (!begin()) return;
    if (!globalThis.PublicKeyCredential) return fail('unsupported');
    const body = { return_to: boot.return_to, flow: '', second: boot.mfa.second };
    try {
      const { offerOf } = await import('../../passkey/offer');
      void offerOf({ body, field: null, onBusy: setBusy, onTrouble: fail }).press();
    } catch {
      if (navigator.onLine)
        location.reload(); // another version serves now, which has other files
      else fail({ kind: 'offline' });
    }
  };

  return (
    <>
      <ErrorSummary {...summary} />
      <div className="needs-script">
        <Button type="button" busy={busy} wait={wait} onClick={press}>
          {t('mfa.passkey.use')}
        </Button>
      </div>
      <div className="without-script">
        <Hint>{t('mfa.passkey.script')}</Hint>
      </div>
    </>
  );
}
