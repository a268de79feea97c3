import { type FocusEvent, useState } from 'react';
import { useText } from '../../i18n/provider';
import { intendedAddress } from '../../lib/mistyped';
import { Button } from '../../ui/button';
import styles from './suggestion.module.css';

/**
 * Asks about an address whose domain looks mistyped, once the field has been
 * left. It only offers: the form takes the address as it was typed too.
 */
export function useSuggestion() {
  const { t } = useText();
  const [suggested, setSuggested] = useState('');

  const onBlur = ({ currentTarget: { value } }: FocusEvent<HTMLInputElement>) => {
    const show = () => setSuggested(intendedAddress(value.trim()));
    // A press that is under way must not lose its target to a line that comes in between.
    if (document.querySelector(':active')) addEventListener('mouseup', show, { once: true });
    else show();
  };

  const take = () => {
    const field = document.querySelector<HTMLInputElement>('#email');
    if (field) {
      field.value = suggested;
      field.focus();
      field.dispatchEvent(new Event('input', { bubbles: true })); // as typed: the form listens too
    }
  };

  const suggestion = (
    <p className={styles.suggestion} role="status">
      {suggested ? (
        <Button type="button" look="quiet" onClick={take}>
          {t('signup.suggestion', { address: suggested })}
        </Button>
      ) : null}
    </p>
  );
  return { suggestion, onBlur, onInput: () => setSuggested('') };
}
