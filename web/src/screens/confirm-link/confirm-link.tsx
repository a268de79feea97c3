import { type ReactNode, useState } from 'react';
import type { Boot, LinkState } from '../../api/boot';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { choose, queryValue, When } from '../../lib/template';
import { Button, ButtonLink } from '../../ui/button';
import { Footer, Lead, UsernameField } from '../../ui/layout';
import { PasswordField } from '../../ui/password-field';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import { type Form, useForm } from '../use-form';

/** Faults that change what the screen is about. */
const STATE_OF_CODE: Record<string, LinkState> = {
  'link.expired': 'expired',
  'link.used': 'used',
  'link.replaced': 'replaced',
  'link.malformed': 'malformed',
};

/** Opening the mailed link changes nothing; the button on this screen does. */
function View({ boot: initial }: { boot: Boot }) {
  const text = useText();
  const [boot, setBoot] = useState(initial);
  const form = useForm({
    boot: initial,
    path: '/auth/api/confirm-link',
    onTrouble: ({ code }) => {
      const state = STATE_OF_CODE[code];
      if (state) setBoot({ ...boot, link: { ...boot.link, state } });
    },
  });

  return (
    <Frame boot={boot} title={screen.title(boot, text)} summary={form.summary} announcement={form.announcement}>
      <ByState
        state={boot.link.state}
        of={{
          expired: <SendAgain boot={boot} form={form} state="expired" />,
          replaced: <SendAgain boot={boot} form={form} state="replaced" />,
          used: <Used />,
          malformed: <Lead>{text.t('confirm-link.malformed.lead')}</Lead>,
        }}
        otherwise={<Confirm boot={boot} form={form} />}
      />
      <When value={boot.flow.id}>
        <Footer>
          <a href={`/auth/verify-code?flow=${queryValue(boot.flow.id)}`}>{text.t('confirm-link.enter_code')}</a>
        </Footer>
      </When>
    </Frame>
  );
}

function ByState(props: { state: LinkState; of: Partial<Record<LinkState, ReactNode>>; otherwise: ReactNode }) {
  return Object.entries(props.of).reduceRight<ReactNode>(
    (otherwise, [state, view]) => (
      <When value={props.state} is={state} otherwise={otherwise}>
        {view}
      </When>
    ),
    props.otherwise,
  );
}

/** The press that counts; in a browser that did not choose the password, with the password. */
function Confirm({ boot, form }: { boot: Boot; form: Form }) {
  const { t } = useText();
  const { kind, address, state } = boot.link;
  return (
    <form {...form.props}>
      <Lead>
        {choose(kind, t('confirm-link.recovery.lead', { address }), t('confirm-link.signup.lead', { address }), 'recovery')}
      </Lead>
      <When value={state} is="password">
        <Lead>{t('confirm-link.password.lead')}</Lead>
        <UsernameField value={boot.link.email} />
        <PasswordField
          name="password"
          label={t('common.password')}
          labels={{ show: t('common.show_password'), capsLock: t('common.caps_lock') }}
          error={form.trouble.fields.password}
          autoComplete="current-password"
          enterKeyHint="go"
        />
      </When>
      <Button busy={form.busy} wait={form.wait}>
        {choose(kind, t('common.continue'), t('confirm-link.submit'), 'recovery')}
      </Button>
    </form>
  );
}

function SendAgain({ boot, form, state }: { boot: Boot; form: Form; state: 'expired' | 'replaced' }) {
  const { t } = useText();
  return (
    <form {...form.props}>
      <Lead>{t(`confirm-link.${state}.lead`, { address: boot.link.address })}</Lead>
      <input type="hidden" name="action" value="resend" />
      <Button busy={form.busy} wait={form.wait}>
        {t('confirm-link.resend')}
      </Button>
    </form>
  );
}

function Used() {
  const { t } = useText();
  return (
    <>
      <Lead>{t('confirm-link.used.lead')}</Lead>
      <ButtonLink href="/auth/signin">{t('common.to_signin')}</ButtonLink>
    </>
  );
}

function title({ link }: Boot, { t }: Text): string {
  const ready = choose(link.kind, t('confirm-link.recovery.title'), t('confirm-link.signup.title'), 'recovery');
  return (['expired', 'replaced', 'used', 'malformed'] as const).reduce(
    (otherwise, state) => choose(link.state, t(`confirm-link.${state}.title`), otherwise, state),
    ready,
  );
}

export const screen: Screen = { title, View };
