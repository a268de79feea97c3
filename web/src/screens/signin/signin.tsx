import { useState } from 'react';
import type { Boot, SignIn } from '../../api/schema.gen';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Aside, Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { PasswordField } from '../../ui/password-field';
import { ProviderButtons } from '../../ui/provider-buttons';
import { useSuggestion } from '../../ui/suggestion';
import { EmailField } from '../../ui/text-field';
import { Frame } from '../frame';
import { withReturn } from '../links';
import { passwordLabels } from '../password-labels';
import type { Screen } from '../screen';
import { SignedIn } from '../signed-in';
import { useCarriedEmail } from '../use-carried-email';
import { Passkey } from './passkey';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  useCarriedEmail(); // before useForm, which focuses the first empty field
  const suggestion = useSuggestion((address) => t('common.suggestion', { address }));
  const form = useForm({
    boot,
    path: '/auth/api/signin',
    onTrouble: ({ code }, element) => {
      if (code !== 'signin.rejected') return false;
      fieldOf(element, 'password').value = '';
      suggestion.suggestFor(fieldOf(element, 'email'));
      return false;
    },
  });
  const [makesPasskeys, setMakesPasskeys] = useState('');
  const hidden = { return_to: boot.return_to, flow: boot.flow.id };

  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      lead={
        <When value={boot.detail}>
          <Lead>{boot.detail}</Lead>
        </When>
      }
      form={form}
    >
      <SignedIn boot={boot} />
      <form {...form.props}>
        <HiddenField<SignIn> name="return_to" value={hidden.return_to} />
        <HiddenField<SignIn> name="flow" value={hidden.flow} />
        <HiddenField<SignIn> name="makes_passkeys" value={makesPasskeys} />
        <EmailField
          label={t('common.email')}
          placeholder={t('common.email_placeholder')}
          defaultValue={boot.values.email}
          error={form.trouble.fields.email}
          enterKeyHint="next"
          onInput={suggestion.forget}
        />
        {suggestion.line}
        <PasswordField
          name="password"
          label={t('common.password')}
          labels={passwordLabels(t)}
          error={form.trouble.fields.password}
          autoComplete="current-password"
          enterKeyHint="go"
        />
        <Aside>
          <a href={withReturn('/auth/forgot-password', boot.return_to)}>{t('common.forgot')}</a>
        </Aside>
        <Button busy={form.busy} wait={form.wait}>
          {t('signin.submit')}
        </Button>
      </form>
      <When value={boot.settings.signin_code}>
        <Footer>
          <a href={withReturn('/auth/signin-code', boot.return_to)}>{t('signin.code')}</a>
        </Footer>
      </When>
      <ProviderButtons
        providers={boot.providers}
        divider={t('common.or')}
        label={(provider) => t('common.continue_with', { provider })}
        lastUsed={t('common.last_used')}
        hidden={{ ...hidden, again: boot.again }}
      />
      <When value={boot.settings.passkeys}>
        <Passkey
          body={hidden}
          field={() => emailOf(form.props.ref.current)}
          form={form}
          onAble={() => setMakesPasskeys(boot.again ? '' : 'yes')}
        />
      </When>
      <When value={boot.settings.signup}>
        <Footer>
          {`${t('signin.no_account')} `}
          <a href={withReturn('/auth/signup', boot.return_to)}>{t('signin.signup')}</a>
        </Footer>
      </When>
    </Frame>
  );
}

const emailOf = (form: HTMLFormElement | null) => form && fieldOf(form, 'email');

const fieldOf = (form: HTMLFormElement, name: string) => form.elements.namedItem(name) as HTMLInputElement;

export const screen: Screen = { title: (_, { t }) => t('signin.title'), View };
