import { type FormEvent, useCallback, useState } from 'react';
import type { Boot } from '../../api/boot';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { choose, queryValue, When } from '../../lib/template';
import { Button, ButtonLink } from '../../ui/button';
import { Footer, Lead, UsernameField } from '../../ui/layout';
import { PasswordField } from '../../ui/password-field';
import { useRestoredPage } from '../form-effects';
import { Frame } from '../frame';
import { passwordLabels } from '../password-labels';
import { reloadWhenOver } from '../reload-when-over';
import type { Screen } from '../screen';
import { SignedInOther } from '../signed-in';
import { type Form, useForm } from '../use-form';

/** States in which the link leads nowhere. */
const DEAD = ['expired', 'replaced', 'used', 'malformed'] as const;
type DeadState = (typeof DEAD)[number];

/** Opening the mailed link changes nothing; the button on this screen does. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const form = useForm({ boot, path: '/auth/api/confirm-link', onTrouble: reloadWhenOver });

  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      summary={form.summary}
      announcement={form.announcement}
    >
      {DEAD.map((state) => (
        <When key={state} value={boot.link.state} is={state}>
          <DeadEnd boot={boot} state={state} />
        </When>
      ))}
      {(['ready', 'password'] as const).map((state) => (
        <When key={state} value={boot.link.state} is={state}>
          <Confirm boot={boot} form={form} state={state} />
        </When>
      ))}
      <When value={boot.flow.id}>
        <Footer>
          <a href={`/auth/verify-code?flow=${queryValue(boot.flow.id)}`}>
            {text.t('confirm-link.enter_code')}
          </a>
        </Footer>
      </When>
    </Frame>
  );
}

/** The way on from a link that leads nowhere. */
function DeadEnd({ boot, state }: { boot: Boot; state: DeadState }) {
  if (state === 'expired' || state === 'replaced') return <SendAgain boot={boot} state={state} />;
  return <ToSignIn boot={boot} state={state} />;
}

/** The press that counts; in a browser that did not choose the password, with the password. */
function Confirm({ boot, form, state }: { boot: Boot; form: Form; state: 'ready' | 'password' }) {
  const { t } = useText();
  const { kind } = boot.link;
  const address = addressOf(boot, t);
  return (
    <form {...form.props}>
      <SignedInOther boot={boot} address={address} />
      <Lead>
        {choose(
          kind,
          t('confirm-link.recovery.lead', { address }),
          t('confirm-link.signup.lead', { address }),
          'recovery',
        )}
      </Lead>
      {state === 'password' ? (
        <>
          <Lead>{t('confirm-link.password.lead')}</Lead>
          <UsernameField value={boot.link.email} />
          <PasswordField
            name="password"
            label={t('common.password')}
            labels={passwordLabels(t)}
            error={form.trouble.fields.password}
            autoComplete="current-password"
            enterKeyHint="go"
          />
        </>
      ) : null}
      <Button busy={form.busy} wait={form.wait}>
        {choose(kind, t('common.continue'), t('confirm-link.submit'), 'recovery')}
      </Button>
    </form>
  );
}

/** Leads to the code of a new mail by a native form: the old link, kept in a cookie, says to whom. */
function SendAgain({ boot, state }: { boot: Boot; state: 'expired' | 'replaced' }) {
  const { t } = useText();
  const [busy, setBusy] = useState(false);
  useRestoredPage(useCallback(() => setBusy(false), []));
  const send = (event: FormEvent) => (busy ? event.preventDefault() : setBusy(true));
  return (
    <form method="post" onSubmit={send}>
      <Lead>{t(`confirm-link.${state}.lead`, { address: addressOf(boot, t), age: boot.link.age })}</Lead>
      <input type="hidden" name="action" value="resend" />
      <Button busy={busy}>{t('confirm-link.resend')}</Button>
    </form>
  );
}

/** The address, masked where it was not typed, or words for it when the link no longer says whose it was. */
const addressOf = ({ link }: Boot, t: Text['t']) =>
  choose(link.email, link.email, choose(link.address, link.address, t('common.your_address')));

function ToSignIn({ boot, state }: { boot: Boot; state: 'used' | 'malformed' }) {
  const { t } = useText();
  const used = choose(
    boot.link.kind,
    t('confirm-link.used.recovery'),
    t('confirm-link.used.lead'),
    'recovery',
  );
  return (
    <>
      <Lead>{state === 'used' ? used : t('confirm-link.malformed.lead')}</Lead>
      <ButtonLink href="/auth/signin">{t('common.to_signin')}</ButtonLink>
    </>
  );
}

function title({ link }: Boot, { t }: Text): string {
  const ready = choose(
    link.kind,
    t('confirm-link.recovery.title'),
    t('confirm-link.signup.title'),
    'recovery',
  );
  return DEAD.reduce(
    (otherwise, state) => choose(link.state, t(`confirm-link.${state}.title`), otherwise, state),
    ready,
  );
}

export const screen: Screen = { title, View };
