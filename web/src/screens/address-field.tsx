import type { ComponentProps } from 'react';
import { useText } from '../i18n/provider';
import { useSuggestion } from '../ui/suggestion';
import { EmailField } from '../ui/text-field';

type Props = Pick<ComponentProps<typeof EmailField>, 'label' | 'defaultValue' | 'error' | 'enterKeyHint'>;

/** The field for a new address. When the user leaves it, it suggests a domain that looks meant. */
export function AddressField(props: Props) {
  const { t } = useText();
  const suggestion = useSuggestion((address) => t('common.suggestion', { address }));
  return (
    <>
      <EmailField
        {...props}
        placeholder={t('common.email_placeholder')}
        onBlur={({ currentTarget }) => suggestion.suggestFor(currentTarget)}
        onInput={suggestion.forget}
      />
      {suggestion.line}
    </>
  );
}
