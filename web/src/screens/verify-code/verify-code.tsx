import { useState } from 'react';
import type { Boot } from '../../api/boot';
import type { Flow, Resent } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { withFragment } from '../../lib/fragment';
import { choose, When } from '../../lib/template';
import { Button, ButtonLink } from '../../ui/button';
import { CodeField } from '../../ui/code-field';
import { Footer, Hint, Lead, Whole } from '../../ui/layout';
import { Notice } from '../../ui/message';
import { HiddenField } from '../../ui/provider-buttons';
import { Frame } from '../frame';
import { reloadWhenOver } from '../reload-when-over';
import type { Screen } from '../screen';
import { type Form, useForm } from '../use-form';
import { Resend } from './resend';
import { useFlowRefresh } from './use-flow-refresh';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  return (
    <When value={boot.flow.state} is="done" otherwise={<Enter boot={boot} />}>
      <Frame boot={boot} title={screen.title(boot, text)}>
        <Lead>{text.t('verify-code.done')}</Lead>
        <ButtonLink href="/auth/signin">{text.t('common.to_signin')}</ButtonLink>
      </Frame>
    </When>
  );
}

function Enter({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const [flow, setFlow] = useState<Flow>(boot.flow);
  const form = useForm({ boot, path: '/auth/api/verify-code', onTrouble: reloadWhenOver });
  const [resent, setResent] = useState('');
  useFlowRefresh(flow, setFlow);

  const onResent = (answer: Resent) => {
    const id = new URL(answer.next, location.href).searchParams.get('flow');
    if (id !== flow.id) return location.assign(withFragment(answer.next));
    form.clear();
    setFlow(answer.flow);
    setResent(t('verify-code.resent'));
  };

  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      summary={form.summary}
      announcement={form.announcement || resent}
    >
      <When value={form.trouble.form} otherwise={<State flow={flow} />}>
        {null}
      </When>
      <When value={flow.state} is="held" otherwise={<CodeForm flow={flow} form={form} />}>
        {null}
      </When>
      <Resend
        flow={flow}
        life={t('verify-code.life', { minutes: boot.policy.code_minutes })}
        onResent={onResent}
      />
      <When value={flow.state} is="held" otherwise={<Hints boot={boot} flow={flow} />}>
        {null}
      </When>
      <Footer>
        <When value={flow.kind} otherwise={<a href="/auth/signin">{t('common.back_to_signin')}</a>}>
          <a href={choose(flow.kind, '/auth/signup', '/auth/forgot-password', 'signup')}>
            {t('verify-code.change_address')}
          </a>
        </When>
      </Footer>
    </Frame>
  );
}

/** The field for the code of a mail; there is none while no mail may be sent. */
function CodeForm({ flow, form }: { flow: Flow; form: Form }) {
  const { t } = useText();
  return (
    <>
      <Lead>
        {choose(flow.email, t('verify-code.lead_to', { address: flow.email }), t('verify-code.lead'))}
      </Lead>
      <form {...form.props}>
        <HiddenField name="flow" value={flow.id} />
        <CodeField
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

/** Where to look for a mail that was sent and is not there. */
function Hints({ boot, flow }: { boot: Boot; flow: Flow }) {
  const { t } = useText();
  const [before] = t('verify-code.sender').split('{sender}');
  return (
    <>
      <When value={boot.sender}>
        <Hint>
          {before}
          <Whole>{boot.sender}</Whole>
        </Hint>
      </When>
      <When value={flow.kind}>
        <Hint>{choose(flow.kind, t('verify-code.no_code'), t('verify-code.nothing_arrived'), 'signup')}</Hint>
      </When>
    </>
  );
}

/** What a reload of a flow that takes no more codes says, in place of a form error. */
function State({ flow }: { flow: Flow }) {
  const { fault } = useText();
  return (['used_up', 'expired'] as const).map((state) => (
    <When key={state} value={flow.state} is={state}>
      <Notice words={fault(`code.${state}`) ?? ''} />
    </When>
  ));
}

export const screen: Screen = { title: (_, { t }) => t('verify-code.title'), View };
