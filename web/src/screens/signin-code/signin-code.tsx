import type { Boot, SignInCode } from '../../api/schema.gen';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { useSuggestion } from '../../ui/suggestion';
import { EmailField } from '../../ui/text-field';
import { Frame } from '../frame';
import { withReturn } from '../links';
import type { Screen } from '../screen';
import { useCarriedEmail } from '../use-carried-email';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  useCarriedEmail(); // before useForm, which focuses the first empty field
  const form = useForm({ boot, path: '/auth/api/signin-code' });
  const suggestion = useSuggestion((address) => t('common.suggestion', { address }));

  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      summary={form.summary}
      announcement={form.announcement}
    >
      <Lead>{t('signin-code.lead')}</Lead>
      <form {...form.props}>
        <HiddenField<SignInCode> name="return_to" value={boot.return_to} />
        <EmailField
          label={t('common.email')}
          placeholder={t('common.email_placeholder')}
          defaultValue={boot.values.email}
          error={form.trouble.fields.email}
          enterKeyHint="send"
          onBlur={({ currentTarget }) => suggestion.suggestFor(currentTarget)}
          onInput={suggestion.forget}
        />
        {suggestion.line}
        <Button busy={form.busy} wait={form.wait}>
          {t('signin-code.submit')}
        </Button>
      </form>
      <Footer>
        <a href={withReturn('/auth/signin', boot.return_to)}>{t('common.back_to_signin')}</a>
      </Footer>
    </Frame>
  );
}

export const screen: Screen = { title: (_, { t }) => t('signin-code.title'), View };
