import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { choose } from '../lib/template';
import styles from './field.module.css';
import { useCapsLock } from './use-caps-lock';

interface PasswordFieldProps extends Omit<ComponentProps<'input'>, 'id' | 'className' | 'type' | 'ref'> {
  name: string;
  label: string;
  error: string;
  /** The words of the field. If `show` is empty, there is no button. */
  labels: { show: string; capsLock: string; capsLockWas: string };
  /** Ids of further descriptions, before the error. */
  describedBy?: string;
}

/**
 * A password field with a button to show it. The button has a pressed state and keeps its
 * name. On submit the field hides its text again, so that browsers offer to save it and
 * the next person at the screen cannot read it.
 */
export function PasswordField({ label, error, labels, describedBy, ...input }: PasswordFieldProps) {
  const { name } = input;
  const field = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState(false);
  const capsLock = useCapsLock();

  useEffect(() => {
    const form = field.current?.form;
    const hide = () => setShown(false);
    form?.addEventListener('submit', hide);
    return () => form?.removeEventListener('submit', hide);
  }, []);

  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={name}>
        {label}
      </label>
      <div className={styles.box}>
        <input
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          required
          {...input}
          ref={field}
          id={name}
          type={shown ? 'text' : 'password'}
          className={`${styles.input} ${labels.show && styles.revealable}`}
          aria-invalid={choose(error, 'true', 'false') as 'true' | 'false'}
          aria-describedby={[describedBy, `${name}-error`, `${name}-caps`].filter(Boolean).join(' ')}
          onKeyDown={capsLock.onKeyDown}
          onKeyUp={capsLock.onKeyUp}
          onBlur={(event) => {
            capsLock.onBlur();
            input.onBlur?.(event);
          }}
        />
        {labels.show ? (
          <button
            type="button"
            className={styles.toggle}
            aria-label={labels.show}
            aria-pressed={shown}
            aria-controls={name}
            onClick={() => setShown(!shown)}
          >
            {import.meta.env.SSR ? <Eye /> : null}
          </button>
        ) : null}
      </div>
      <p className={styles.error} id={`${name}-error`}>
        {error}
      </p>
      <p className={styles.hint} id={`${name}-caps`} role="status">
        {capsLock.on ? labels.capsLock : capsLock.wasOn ? labels.capsLockWas : ''}
      </p>
    </div>
  );
}

/**
 * Part of the markup from the server only: React leaves markup after its own children of a
 * button as it is.
 */
function Eye() {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path
        d="M1.8 10S4.8 4.4 10 4.4 18.2 10 18.2 10 15.2 15.6 10 15.6 1.8 10 1.8 10Z"
        strokeLinejoin="round"
      />
      <circle cx="10" cy="10" r="2.6" />
      <path className={styles.slash} d="M3.5 16.5l13-13" />
    </svg>
  );
}
