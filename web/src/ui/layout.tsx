import type { ReactNode } from 'react';
import styles from './layout.module.css';

/** What the screen is about, under its heading. */
export const Lead = ({ children }: { children: ReactNode }) => <p className={styles.text}>{children}</p>;

/** The other way, under the form. */
export const Footer = ({ children }: { children: ReactNode }) => <p className={styles.footer}>{children}</p>;

/** A link that belongs to the field above it. */
export const Aside = ({ children }: { children: ReactNode }) => <p className={styles.aside}>{children}</p>;

export const Hint = ({ children }: { children: ReactNode }) => <p className={styles.hint}>{children}</p>;

/** An address within a text: it begins a new line rather than break at a hyphen. */
export const Whole = ({ children }: { children: ReactNode }) => (
  <span className={styles.whole}>{children}</span>
);

export const Actions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);

export const Divider = ({ children }: { children: ReactNode }) => (
  <p className={styles.divider}>{children}</p>
);

/**
 * Tells password managers whose password this is. It is a real text field that
 * nobody sees: managers pass over hidden ones and then save the code or nothing
 * as the user name. It has no name, so the form does not send it.
 */
export function UsernameField({ value }: { value: string }) {
  return (
    <input
      className={styles.hidden}
      type="text"
      id="username"
      autoComplete="username"
      defaultValue={value}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}
