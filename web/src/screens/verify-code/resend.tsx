import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import type { Flow, Resend as ResendBody, Resent } from '../../api/schema.gen';
import { postWhenEnded, reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { Unless, When } from '../../lib/template';
import { useCountdown } from '../../lib/use-countdown';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Hint } from '../../ui/lead';
import { Announcement, ErrorSummary } from '../../ui/message';
import { SuccessHint } from '../../ui/success';

/**
 * Asks for another code. The button counts down the seconds until the server allows it. It is
 * the main button of a page whose code has expired.
 */
export function Resend({
  flow,
  fault,
  life,
  onResent,
}: {
  flow: Flow;
  /** The fault of the form for the code. */
  fault: string;
  /** How long a code is valid, in words that do not depend on the clock of this device. */
  life: string;
  onResent: (answer: Resent) => void;
}) {
  const { t } = useText();
  const [ready, setReady] = useState(false);
  const onCool = useCallback(() => setReady(true), []);
  const cooldown = useMemo(() => ({ seconds: flow.resend_at - flow.now }), [flow]);
  const hold = useCountdown(cooldown, onCool);
  const [resent, setResent] = useState(false);
  const form = useForm({
    path: '/auth/api/resend',
    hold,
    onAnswer: (answer) => {
      setResent(true);
      setReady(false);
      onResent(answer);
    },
    onTrouble: (trouble, element) => reloadWhenOver(trouble) || postWhenEnded(trouble, element),
  });
  const counted = COUNTED.includes(fault) && form.wait > 0;
  const props = { busy: form.busy, wait: counted ? Number.POSITIVE_INFINITY : form.wait };
  const times = useTimes(flow, resent, life, LOCKED.includes(fault));
  const said = resent ? times : '';

  return (
    <form {...form.props} action={`/auth/verify-code/resend?flow=${flow.id}`}>
      <ErrorSummary {...form.summary} />
      <HiddenField<ResendBody> name="flow" value={flow.id} />
      <When value={flow.state} is="code" otherwise={<SendNew flow={flow} {...props} />}>
        <Footer>
          {`${t('verify-code.not_received')} `}
          <Button look="quiet" {...props}>
            {t('verify-code.resend')}
          </Button>
        </Footer>
        {resent ? <SuccessHint>{times}</SuccessHint> : <Times fault={fault}>{times}</Times>}
      </When>
      <Announcement words={ready && form.wait === 0 ? t('verify-code.can_resend') : said} />
    </form>
  );
}

/** The main button of the page, unless another address is more likely to help. */
function SendNew({ flow, ...props }: { flow: Flow; busy: boolean; wait: number }) {
  const { t } = useText();
  return (
    <When value={flow.state} is="refused" otherwise={<Button {...props}>{t('verify-code.send_new')}</Button>}>
      <Footer>
        <Button look="quiet" {...props}>
          {t('verify-code.send_new')}
        </Button>
      </Footer>
    </When>
  );
}

/** The faults after which only the link of the email works. */
export const LOCKED = ['code.locked', 'code.link_only'];

/** The faults whose words count the wait of the button. */
const COUNTED = ['code.held'];

/** The times of the code, unless no code works. */
const Times = ({ fault, children }: { fault: string; children: string }) =>
  LOCKED.reduce<ReactNode>(
    (times, locked) => (
      <Unless key={locked} value={fault} is={locked}>
        {times}
      </Unless>
    ),
    <Hint>{children}</Hint>,
  );

/**
 * When the newest code was sent and when it expires, by the clock of this device. The first
 * render returns `life`. The time of a code that was asked for here includes its seconds,
 * because its minute may be the same as before. While the codes are locked, the text names
 * the email, whose link works.
 */
function useTimes(flow: Flow, resent: boolean, life: string, locked: boolean): string {
  const { t, locale } = useText();
  const [skew, setSkew] = useState<number>();
  useEffect(() => setSkew(Date.now() - flow.now * 1000), [flow]);
  if (skew === undefined || !flow.sent_at) return life;
  const clock = (seconds: number, timeStyle: 'short' | 'medium') =>
    new Intl.DateTimeFormat(locale, { timeStyle }).format(seconds * 1000 + skew);
  const until = clock(flow.expires_at, 'short');
  return resent
    ? t(locked ? 'verify-code.resent_link' : 'verify-code.resent', {
        sent: clock(flow.sent_at, 'medium'),
        until,
      })
    : t('verify-code.times', { sent: clock(flow.sent_at, 'short'), until });
}
