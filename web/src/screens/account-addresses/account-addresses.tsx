import type { Boot, ChangeAddress } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Hint, Lead } from '../../ui/lead';
import { useSuggestion } from '../../ui/suggestion';
import { EmailField } from '../../ui/text-field';
import { OwnPage } from '../own/own-page';
import { Proof } from '../own/proof';
import { useOwnForm } from '../own/use-own-form';
import type { Screen } from '../screen';

const PATH = '/auth/account/addresses';

/** Asks for another address. The code that is mailed there makes it the address of the account. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useOwnForm('/auth/api/account/addresses', boot);
  const suggestion = useSuggestion((address) => t('common.suggestion', { address }));

  return (
    <OwnPage boot={boot} title={screen.title(boot, text)} form={form}>
      <Proof asked={form.asked} path={PATH} />
      <Lead>{t('account-addresses.lead', { email: boot.session.email })}</Lead>
      <form {...form.props} action={PATH}>
        <HiddenField<ChangeAddress> name="account" value={boot.session.id} />
        <EmailField
          label={t('account-addresses.email')}
          placeholder={t('common.email_placeholder')}
          defaultValue={boot.values.email}
          error={form.trouble.fields.email}
          enterKeyHint="send"
          onBlur={({ currentTarget }) => suggestion.suggestFor(currentTarget)}
          onInput={suggestion.forget}
        />
        {suggestion.line}
        <Button busy={form.busy} wait={form.wait}>
          {t('account-addresses.submit')}
        </Button>
      </form>
      <Hint>{t('account-addresses.after')}</Hint>
    </OwnPage>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-addresses.title'), View };
