import { type ReactNode, useState } from 'react';
import { Button } from './button';
import { afterPress } from './steady';
import styles from './suggestion.module.css';

interface Suggestion {
  /** The line below the address field. */
  line: ReactNode;
  /** Suggests another address if the domain of this one looks mistyped. */
  suggestFor: (field: HTMLInputElement) => void;
  /** Removes the suggestion, because the user edits the address. */
  forget: () => void;
}

/**
 * Suggests a domain for an address that looks mistyped. The form accepts the typed address
 * too. The list of domains is loaded when there is an address to compare, not with the
 * page. Without the list there are no suggestions.
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
    field.dispatchEvent(new Event('input', { bubbles: true })); // an input event as if typed: the form listens for it
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
