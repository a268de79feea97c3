import { useEffect, useState } from 'react';
import type { Boot, Flow, Resent, VerifyCode } from '../../api/schema.gen';
import type { Trouble } from '../../form/failure';
import { postWhenEnded, reloadWhenOver } from '../../form/reload-when-over';
import { type Form, useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { go } from '../../lib/fragment';
import { choose, oneOf, Unless, When } from '../../lib/template';
import { Button, ButtonLink } from '../../ui/button';
import { CodeField } from '../../ui/code-field';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { Success } from '../../ui/success';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import { useFlowRefresh } from '../use-flow-refresh';
import { ChangeAddress, Help, signInOf, startOf } from './help';
import { LOCKED, Resend } from './resend';

function View({ boot }: { boot: Boot }) {
  return (
    <When value={boot.flow.state} is="done" otherwise={<Open boot={boot} />}>
      <Done boot={boot} />
    </When>
  );
}

const Open = ({ boot }: { boot: Boot }) => (
  <When value={boot.flow.id} otherwise={<NoFlow boot={boot} />}>
    <When value={boot.flow.state} is="elsewhere" otherwise={<Enter boot={boot} />}>
      <Elsewhere boot={boot} />
    </When>
  </When>
);

/** The code was used, and no account is signed in in this browser. */
function Done({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <Lead>
        {oneOf(
          boot.flow.kind,
          {
            address: t('verify-code.done.address'),
            recovery: t('verify-code.done.password'),
            code: t('verify-code.done.code'),
          },
          t('verify-code.done.signup'),
        )}
      </Lead>
      <ButtonLink href={signInOf(boot.flow)}>{t('common.to_signin')}</ButtonLink>
    </Frame>
  );
}

/** The link of a recovery was opened in another browser, where it goes on. This page learns of its end. */
function Elsewhere({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  useFlowRefresh(boot.flow);
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <Lead>{t('verify-code.done.recovery')}</Lead>
      <ButtonLink href={signInOf(boot.flow)}>{t('common.to_signin')}</ButtonLink>
      <Footer>
        <a href={startOf(boot.flow)}>{t('verify-code.done.again')}</a>
      </Footer>
    </Frame>
  );
}

/** This browser has no pending flow, so there is no code to enter. */
function NoFlow({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <Lead>{t('verify-code.none')}</Lead>
      <ButtonLink href="/auth/signin">{t('common.to_signin')}</ButtonLink>
      <Footer>
        <a href="/auth/forgot-password">{t('common.forgot')}</a>
      </Footer>
    </Frame>
  );
}

function Enter({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const [flow, setFlow] = useState<Flow>(boot.flow);
  const [mails, setMails] = useState(1);
  const refresh = useFlowRefresh(flow, setFlow);
  const onTrouble = (trouble: Trouble, element: HTMLFormElement) => {
    if (trouble.code === 'code.used_up') {
      setFlow((old) => ({ ...old, state: 'used_up' }));
      return true;
    }
    if (trouble.code === 'code.expired') void refresh(); // the expired code may be an older one
    return reloadWhenOver(trouble) || postWhenEnded(trouble, element);
  };
  const form = useForm({ boot, path: '/auth/api/verify-code', onTrouble });
  const { trouble, clear } = form;
  useEffect(() => {
    // the title says it, and there is no field for a newer code
    if (flow.state === 'expired' && trouble.code === 'code.expired') clear();
  }, [flow, trouble, clear]);

  const onResent = (answer: Resent) => {
    const id = new URL(answer.next, location.href).searchParams.get('flow');
    if (id !== flow.id) return go(answer.next);
    if (!LOCKED.includes(form.trouble.code)) form.clear(); // else the new code is refused too
    setFlow(answer.flow);
    setMails(mails + 1);
  };

  return (
    <Frame boot={boot} title={titleOf(flow, text)} form={form}>
      <Success words={boot.success} />
      <When value={flow.state} is="code" otherwise={<NoCode flow={flow} form={form} />}>
        <Unless value={form.trouble.code} is="code.link_only">
          <CodeForm flow={flow} form={form} mails={mails} />
        </Unless>
      </When>
      <Resend
        flow={flow}
        fault={form.trouble.code}
        life={t('verify-code.life', { minutes: boot.settings.code_minutes })}
        onResent={onResent}
      />
      <When value={flow.state} is="code" otherwise={<OtherAddress flow={flow} />}>
        <Help boot={boot} flow={flow} />
      </When>
    </Frame>
  );
}

/** The field for the code of an email. */
function CodeForm({ flow, form, mails }: { flow: Flow; form: Form<VerifyCode>; mails: number }) {
  const { t } = useText();
  return (
    <>
      <Lead>
        {choose(flow.email, t('verify-code.lead_to', { address: flow.email }), t('verify-code.lead'))}
      </Lead>
      <form {...form.props} action={`/auth/verify-code?flow=${flow.id}`}>
        <HiddenField<VerifyCode> name="flow" value={flow.id} />
        <CodeField
          key={mails} // a new email gives a new field, empty and with the focus
          label={t('verify-code.code')}
          hint={t('verify-code.hint')}
          error={form.trouble.fields.code}
        />
        <Button busy={form.busy} wait={form.wait}>
          {t('verify-code.submit')}
        </Button>
      </form>
    </>
  );
}

const NoCode = ({ flow, form }: { flow: Flow; form: Form<VerifyCode> }) => (
  <When value={flow.state} is="refused" otherwise={<Over flow={flow} form={form} />}>
    <Refused flow={flow} />
  </When>
);

/** The mail server refused the email for good, so the way on is another address. */
function Refused({ flow }: { flow: Flow }) {
  const { t } = useText();
  const address = choose(flow.email, flow.email, t('common.your_address'));
  return (
    <>
      <Lead>{t('verify-code.refused_lead', { address })}</Lead>
      <ButtonLink href={startOf(flow)}>{t('verify-code.change_address')}</ButtonLink>
    </>
  );
}

/** Replaces the field when no code is valid, and says that a new code is needed. */
function Over({ flow, form }: { flow: Flow; form: Form<VerifyCode> }) {
  const { t } = useText();
  const address = choose(flow.email, flow.email, t('common.your_address'));
  const lead = <Lead>{t('verify-code.another', { address })}</Lead>;
  return (
    <When value={flow.state} is="held" otherwise={lead}>
      <Unless value={form.trouble.form}>{lead}</Unless>
    </When>
  );
}

const OtherAddress = ({ flow }: { flow: Flow }) => (
  <Unless value={flow.state} is="refused">
    <Footer>
      <ChangeAddress flow={flow} />
    </Footer>
  </Unless>
);

/** The title says the state of the code. */
function titleOf({ kind, state }: Flow, { t }: Text): string {
  // A sign-in verifies nothing anew.
  const done = oneOf(
    kind,
    { code: t('verify-code.done.code_title'), recovery: t('verify-code.done.password_title') },
    t('verify-code.done.title'),
  );
  const over = {
    elsewhere: t('verify-code.done.recovery_title'),
    used_up: t('verify-code.used_up'),
    expired: t('verify-code.expired'),
    held: t('verify-code.held'),
    refused: t('verify-code.refused'),
  };
  return oneOf(state, { done, ...over }, t('verify-code.title'));
}

export const screen: Screen = { title: ({ flow }, text) => titleOf(flow, text), View };
