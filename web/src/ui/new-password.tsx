import { useCallback, useEffect, useRef, useState } from 'react';
import { containsAddress, lengthOf, type Strength, strengthOf } from '../lib/strength';
import layout from './layout.module.css';
import styles from './new-password.module.css';
import { PasswordField } from './password-field';
import { afterPress } from './steady';

interface NewPasswordLabels {
  password: string;
  passwordPlaceholder: string;
  confirm: string;
  confirmPlaceholder: string;
  show: string;
  capsLock: string;
  capsLockWas: string;
  rules: { length: string; address: string; met: string };
  strength: Record<Strength, string>;
  mismatch: string;
}

interface NewPasswordProps {
  labels: NewPasswordLabels;
  minLength: number;
  maxLength: number;
  errors: { password: string; confirm_password: string };
  /** The error of the password says that it is easy to guess. */
  weak: boolean;
}

const EMPTY = { length: false, address: false, strength: '' as Strength | '' };

/**
 * A password and its repetition. The rules are listed before the user types, and each
 * is marked once it is met. The error of two different passwords appears when the user
 * leaves the second field, and disappears once they agree. The repetition stays masked
 * (docs/specification.md section 3).
 */
export function NewPassword({ labels, minLength, maxLength, errors, weak }: NewPasswordProps) {
  const fields = useRef<HTMLDivElement>(null);
  const [rules, setRules] = useState(EMPTY);
  const [mismatch, setMismatch] = useState(false);

  const judge = useCallback(() => {
    const { password, confirm, address } = fieldsAround(fields.current);
    const free = !containsAddress(password, address);
    setRules(
      password
        ? {
            length: lengthOf(password) >= minLength,
            address: free,
            strength: free ? strengthOf(password) : 'weak',
          }
        : EMPTY,
    );
    if (password === confirm) setMismatch(false);
  }, [minLength]);

  useEffect(judge, [judge]); // includes the text that was typed before the script ran

  const compare = () => {
    const { password, confirm } = fieldsAround(fields.current);
    setMismatch(confirm !== '' && confirm !== password);
  };

  // Until the user edits it, the server's judgment of a refused password stands.
  const strength = rules.strength && weak && errors.password ? 'weak' : rules.strength;
  // No maxlength attribute: it would cut a pasted password silently.
  const passwordrules = `minlength: ${minLength}; maxlength: ${maxLength};`;
  const shared = { labels, autoComplete: 'new-password', minLength, passwordrules };

  return (
    <div ref={fields} onInput={judge}>
      <PasswordField
        {...shared}
        name="password"
        label={labels.password}
        placeholder={labels.passwordPlaceholder}
        enterKeyHint="next"
        error={errors.password}
        describedBy="password-rules"
      />
      <div className={styles.policy}>
        <ul id="password-rules" className={styles.rules}>
          <Rule met={rules.length} metWords={labels.rules.met}>
            {labels.rules.length}
          </Rule>
          <Rule met={rules.address} metWords={labels.rules.met}>
            {labels.rules.address}
          </Rule>
        </ul>
        <div className={styles.estimate} data-strength={strength}>
          <div className={styles.meter} aria-hidden="true">
            <i />
            <i />
            <i />
            <i />
          </div>
          <p role="status" className={styles.strength}>
            {strength ? labels.strength[strength] : ''}
          </p>
        </div>
      </div>
      <PasswordField
        {...shared}
        labels={{ ...labels, show: '' }}
        name="confirm_password"
        label={labels.confirm}
        placeholder={labels.confirmPlaceholder}
        enterKeyHint="go"
        error={errors.confirm_password || (mismatch ? labels.mismatch : '')}
        onBlur={() => afterPress(compare)}
      />
    </div>
  );
}

function Rule({ met, metWords, children }: { met: boolean; metWords: string; children: string }) {
  return (
    <li className={styles.rule} data-met={met}>
      <svg
        className={styles.mark}
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        aria-hidden="true"
      >
        <circle cx="8" cy="8" r="6.5" />
        <path
          className={styles.tick}
          d="M5 8.2l2.1 2.1L11.2 6"
          strokeWidth="1.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span>{children}</span>
      <span className={layout.hidden}>{met ? metWords : ''}</span>
    </li>
  );
}

/** The current values of the form. The fields are uncontrolled. */
function fieldsAround(element: HTMLElement | null) {
  const form = element?.closest('form');
  const value = (name: string) => (form?.elements.namedItem(name) as HTMLInputElement | null)?.value ?? '';
  return {
    password: value('password'),
    confirm: value('confirm_password'),
    address: value('email') || value('username'),
  };
}

declare module 'react' {
  interface InputHTMLAttributes<T> {
    /** The rules for generated passwords, for the password managers that read them. */
    passwordrules?: string;
  }
}
