import type { ReactNode } from 'react';
import type { Boot, DropFactor, GiveFactor } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { type Form, useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { choose, oneOf, Unless, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { CheckBox } from '../../ui/check-box';
import { CodeField } from '../../ui/code-field';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Hint, Lead } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { TextField } from '../../ui/text-field';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import { useFlowRefresh } from '../use-flow-refresh';
import { UsePasskey } from './use-passkey';

/** Asks for a second factor: of a pending sign-in, or of the signed-in user. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const form = useForm({ boot, path: '/auth/api/mfa', onTrouble: reloadWhenOver });
  useFlowRefresh(boot.flow);
  return (
    <Frame boot={boot} title={screen.title(boot, text)} form={form}>
      <When value={boot.flow.state} is="used_up" otherwise={<Enter boot={boot} form={form} />}>
        <Lead>{text.t('mfa.used_up.lead')}</Lead>
      </When>
      <When value={boot.flow.id} otherwise={<Leave />}>
        <Restart boot={boot} />
      </When>
    </Frame>
  );
}

function Enter({ boot, form }: { boot: Boot; form: Form<GiveFactor> }) {
  const { t } = useText();
  const { mfa } = boot;
  const email = choose(boot.session.email, boot.session.email, boot.flow.email);
  return (
    <>
      <Lead>
        {oneOf(
          mfa.way,
          {
            recovery: t('mfa.recovery.lead'),
            passkey: choose(email, t('mfa.passkey.lead_for', { email }), t('mfa.passkey.lead')),
          },
          choose(
            mfa.longest,
            choose(email, t('mfa.long.lead_for', { email }), t('mfa.long.lead')),
            choose(email, t('mfa.lead_for', { email }), t('mfa.lead')),
          ),
        )}
      </Lead>
      <When value={mfa.way} is="passkey" otherwise={<Code boot={boot} form={form} />}>
        <UsePasskey boot={boot} />
      </When>
      <Other href={mfa.passkey}>{t('mfa.use_passkey')}</Other>
      <Other href={mfa.app}>{t('mfa.use_app')}</Other>
      <Other href={mfa.recovery}>{t('mfa.use_recovery')}</Other>
      <Unless value={mfa.recovery}>
        <Hint>{t('mfa.help', { brand: boot.brand.name })}</Hint>
      </Unless>
    </>
  );
}

/** A link to another way, where the account has it. */
function Other({ href, children }: { href: string; children: ReactNode }) {
  return (
    <When value={href}>
      <Footer>
        <a href={href}>{children}</a>
      </Footer>
    </When>
  );
}

function Code({ boot, form }: { boot: Boot; form: Form<GiveFactor> }) {
  const { t } = useText();
  const { mfa } = boot;
  return (
    <form {...form.props} action={boot.here}>
      <HiddenField<GiveFactor> name="flow" value={boot.flow.id} />
      <HiddenField<GiveFactor> name="return_to" value={boot.return_to} />
      <HiddenField<GiveFactor> name="way" value={mfa.way} />
      <When value={mfa.way} is="recovery" otherwise={<AppCode boot={boot} form={form} />}>
        <TextField
          name="code"
          label={t('mfa.recovery.code')}
          placeholder={choose(mfa.moved, '', 'XXXX-XXXX-XXXX-XXXX')}
          error={form.trouble.fields.code}
          autoComplete="off"
          autoCapitalize={choose(mfa.moved, 'none', 'characters')}
          spellCheck={false}
          required
        />
      </When>
      <Button busy={form.busy} wait={form.wait}>
        {t('mfa.submit')}
      </Button>
    </form>
  );
}

/** The box comes first, because the form sends itself with the last digit. */
function AppCode({ boot: { mfa }, form }: { boot: Boot; form: Form<GiveFactor> }) {
  const { t } = useText();
  const name: keyof GiveFactor = 'trust';
  return (
    <>
      <When value={mfa.trust}>
        <CheckBox name={name} value="yes" ticked={mfa.trusting} error="" optional>
          {t('mfa.trust')}
        </CheckBox>
      </When>
      <When
        value={mfa.longest}
        otherwise={<CodeField label={t('mfa.code')} hint={t('mfa.hint')} error={form.trouble.fields.code} />}
      >
        <CodeField
          label={t('mfa.long.code')}
          hint={t('mfa.long.hint', { count: mfa.longest })}
          error={form.trouble.fields.code}
          shortest={mfa.shortest}
          longest={mfa.longest}
        />
      </When>
    </>
  );
}

/** The way out of a proof that was asked of the signed-in user. */
function Leave() {
  const { t } = useText();
  return (
    <Footer>
      <a href="/auth/account">{t('mfa.leave')}</a>
    </Footer>
  );
}

function Restart({ boot }: { boot: Boot }) {
  const { t } = useText();
  const form = useForm({ path: '/auth/api/mfa/restart' });
  const props = { busy: form.busy, wait: form.wait };
  return (
    <form {...form.props} action={`/auth/mfa/restart?flow=${boot.flow.id}`}>
      <ErrorSummary {...form.summary} />
      <HiddenField<DropFactor> name="flow" value={boot.flow.id} />
      <When
        value={boot.flow.state}
        is="used_up"
        otherwise={
          <Footer>
            <Button look="quiet" {...props}>
              {t('mfa.other')}
            </Button>
          </Footer>
        }
      >
        <Button {...props}>{t('mfa.restart')}</Button>
      </When>
    </form>
  );
}

const titleOf = ({ flow }: Boot, { t }: Text) =>
  oneOf(flow.state, { used_up: t('mfa.used_up.title') }, t('mfa.title'));

export const screen: Screen = { title: titleOf, View };
