import { useEffect, useState } from 'react';
import type { Boot, SignUp } from '../../api/schema.gen';
import { postWhenChanged } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { NameField } from '../../ui/name-field';
import { PasskeyButton } from '../../ui/passkey-button';
import { ProviderButtons } from '../../ui/provider-buttons';
import { EmailField } from '../../ui/text-field';
import { AddressField } from '../address-field';
import { Frame } from '../frame';
import { withReturn } from '../links';
import { NewPasswordFields } from '../new-password-fields';
import type { Screen } from '../screen';
import { SignedIn } from '../signed-in';
import { TermsBox } from '../terms-box';
import { useCarriedEmail } from '../use-carried-email';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  useCarriedEmail(); // before useForm, which focuses the first empty field
  const form = useForm({ boot, path: '/auth/api/signup', onTrouble: postWhenChanged });
  const [maker, setMaker] = useState(false);
  const [byPasskey, setByPasskey] = useState(false); // the button that was pressed last
  useEffect(() => setMaker('PublicKeyCredential' in globalThis), []);

  return (
    <Frame boot={boot} title={screen.title(boot, text)} form={form}>
      <SignedIn boot={boot} />
      <form {...form.props} id="signup">
        <HiddenField<SignUp> name="return_to" value={boot.return_to} />
        {(['required', 'optional'] as const).map((rule) => (
          <When key={rule} value={boot.settings.name} is={rule}>
            <NameField
              label={t(`signup.name.${rule}`)}
              defaultValue={boot.values.name}
              error={form.trouble.fields.name}
              enterKeyHint="next"
              required={rule === 'required'}
            />
          </When>
        ))}
        <HiddenField<SignUp> name="link" value={boot.link.mark} />
        <When
          value={boot.link.email}
          otherwise={
            <AddressField
              label={t('common.email')}
              defaultValue={boot.values.email}
              error={form.trouble.fields.email}
              enterKeyHint="next"
            />
          }
        >
          <EmailField label={t('common.email')} defaultValue={boot.link.email} error="" readOnly />
        </When>
        <NewPasswordFields boot={boot} label={t('common.password')} trouble={form.trouble} />
        <TermsBox boot={boot} error={form.trouble.fields.terms} />
        <Button busy={form.busy && !byPasskey} wait={form.wait} onClick={() => setByPasskey(false)}>
          {t('signup.submit')}
        </Button>
      </form>
      <ProviderButtons
        providers={boot.providers}
        divider={t('common.or')}
        label={(provider) => t('common.continue_with', { provider })}
        lastUsed={t('common.last_used')}
        hidden={{ return_to: boot.return_to, flow: '', again: '', link: boot.link.mark }}
      />
      <When value={boot.settings.passkeys}>
        <PasskeyButton
          ready={maker}
          form="signup"
          name={'passkey' satisfies keyof SignUp}
          value="yes"
          data-without="password confirm_password"
          busy={form.busy && byPasskey}
          wait={form.wait}
          onClick={() => setByPasskey(true)}
        >
          {t('signup.passkey')}
        </PasskeyButton>
      </When>
      <Footer>
        {`${t('signup.have_account')} `}
        <a href={withReturn('/auth/signin', boot.return_to)}>{t('signup.signin')}</a>
      </Footer>
    </Frame>
  );
}

export const screen: Screen = { title: (_, { t }) => t('signup.title'), View };
