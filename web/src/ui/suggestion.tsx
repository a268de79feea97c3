import { type ReactNode, useState } from 'react';
import { Button } from './button';
import { afterPress } from './steady';
import styles from './suggestion.module.css';

interface Suggestion {
  /** Stands under the address field. */
  line: ReactNode;
  /** Asks whether another address was meant, if the domain of this one looks mistyped. */
  suggestFor: (field: HTMLInputElement) => void;
  /** The address is being edited. */
  forget: () => void;
}

/**
 * Asks about an address whose domain looks mistyped. It only offers: the form
 * takes the address as it was typed too. The list of domains is loaded when an
 * address is there to be compared, not with the page; without it nothing is
 * offered.
 */
export function useSuggestion(words: (address: string) => string): Suggestion {
  const [suggested, setSuggested] = useState('');

  const suggestFor = (field: HTMLInputElement) => {
    const typed = field.value.trim();
    if (!typed) return;
    import('../lib/mistyped').then(
      ({ intendedAddress }) =>
        afterPress(() => field.value.trim() === typed && setSuggested(intendedAddress(typed))),
      () => {},
    );
  };

  const take = () => {
    const field = document.querySelector<HTMLInputElement>('#email');
    if (!field) return;
    field.value = suggested;
    field.focus();
    field.dispatchEvent(new Event('input', { bubbles: true })); // as typed: the form listens too
  };

  const line = (
    <p className={styles.suggestion} role="status">
      {suggested ? (
        <Button type="button" look="quiet" onClick={take}>
          {words(suggested)}
        </Button>
      ) : null}
    </p>
  );
  return { line, suggestFor, forget: () => setSuggested('') };
}
