import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Flow, Resent } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { useCountdown } from '../../lib/use-countdown';
import { Button } from '../../ui/button';
import { Footer, Hint } from '../../ui/layout';
import { Announcement, ErrorSummary } from '../../ui/message';
import { HiddenField } from '../../ui/provider-buttons';
import { reloadWhenOver } from '../reload-when-over';
import { useForm } from '../use-form';

/** Asks for another code; until the server allows it, the seconds are counted beside the button. */
export function Resend({
  flow,
  life,
  onResent,
}: {
  flow: Flow;
  /** How long a code works, in words that need no clock of this device. */
  life: string;
  onResent: (answer: Resent) => void;
}) {
  const { t } = useText();
  const [ready, setReady] = useState('');
  const onCool = useCallback(() => setReady(t('verify-code.can_resend')), [t]);
  const cooldown = useMemo(() => ({ seconds: flow.resend_at - flow.now }), [flow]);
  const hold = useCountdown(cooldown, onCool);
  const form = useForm<Resent>({
    path: '/auth/api/resend',
    hold,
    onAnswer: onResent,
    onTrouble: reloadWhenOver,
  });
  const times = useTimes(flow, life);

  return (
    <form {...form.props}>
      <ErrorSummary {...form.summary} />
      <HiddenField name="flow" value={flow.id} />
      <input type="hidden" name="action" value="resend" />
      <Footer>
        {`${t('verify-code.not_received')} `}
        <Button look="quiet" busy={form.busy} wait={form.wait}>
          {t('verify-code.resend')}
        </Button>
      </Footer>
      <Hint>{times}</Hint>
      <Announcement words={ready} />
    </form>
  );
}

/** When the newest code was sent and until when it works, by the clock of this device; `life` in the first render. */
function useTimes(flow: Flow, life: string): string {
  const { t, locale } = useText();
  const [times, setTimes] = useState(life);
  useEffect(() => {
    if (!flow.sent_at) return;
    const skew = Date.now() - flow.now * 1000;
    const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
    const [sent, until] = [flow.sent_at, flow.expires_at].map((time) => clock.format(time * 1000 + skew));
    setTimes(t('verify-code.times', { sent: sent ?? '', until: until ?? '' }));
  }, [flow, locale, t]);
  return times;
}
