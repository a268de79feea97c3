import type { AcceptTerms, Boot } from '../../api/schema.gen';
import type { Trouble } from '../../form/failure';
import { postWhenEnded, reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { oneOf } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { Frame } from '../frame';
import { OtherWay } from '../other-way';
import type { Screen } from '../screen';
import { SignedInOther } from '../signed-in-other';
import { TermsBox } from '../terms-box';
import { useFlowRefresh } from '../use-flow-refresh';

/** Asks for the terms of use: at the end of a sign-in, or before the account of a sign-up is made. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { flow } = boot;
  const { email } = flow;
  const form = useForm({ boot, path: '/auth/api/terms', onTrouble });
  useFlowRefresh(boot.flow);
  return (
    <Frame boot={boot} title={screen.title(boot, text)} form={form}>
      <SignedInOther boot={boot} address={email} />
      <Lead>
        {oneOf(flow.kind, { signup: t('terms.signup.lead', { email }) }, t('terms.lead', { email }))}
      </Lead>
      <form {...form.props} action={`/auth/terms?flow=${flow.id}`}>
        <HiddenField<AcceptTerms> name="flow" value={flow.id} />
        <TermsBox boot={boot} error={form.trouble.fields.terms} />
        <Button busy={form.busy} wait={form.wait}>
          {t('terms.submit')}
        </Button>
      </form>
      <OtherWay flow={flow} step="terms/refuse">
        {oneOf(flow.kind, { signup: t('terms.cancel') }, t('terms.signout'))}
      </OtherWay>
    </Frame>
  );
}

const onTrouble = (trouble: Trouble, form: HTMLFormElement) =>
  postWhenEnded(trouble, form) || reloadWhenOver(trouble);

export const screen: Screen = { title: (_, { t }) => t('terms.title'), View };
