import type { ComponentProps, ReactNode } from 'react';
import { clockText } from '../lib/use-countdown';
import styles from './button.module.css';

type Look = 'primary' | 'secondary' | 'quiet';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  look?: Look;
  /** A request is under way. The button keeps its place and its width. */
  busy?: boolean;
  /** Seconds until the button may be pressed again. The label shows an hour at most. */
  wait?: number;
  /**
   * Shown before the label, and part of the markup from the server only. It comes last
   * in the button, because React leaves markup after its own children as it is.
   */
  served?: ReactNode;
}

/**
 * A button. While it is busy or waiting it stays focusable (aria-disabled, never disabled)
 * and says so. Its form ignores the press.
 */
export function Button({
  look = 'primary',
  busy = false,
  wait = 0,
  served,
  children,
  ...button
}: ButtonProps) {
  return (
    <button
      type="submit"
      {...button}
      className={[styles.button, styles[look], wait > 0 && styles.waiting].filter(Boolean).join(' ')}
      aria-busy={busy}
      aria-disabled={busy || wait > 0 || Boolean(button['aria-disabled'])}
    >
      <span className={styles.label}>{children}</span>
      {wait > 0 && wait <= 3600 ? <span className={styles.label}>&nbsp;({clockText(wait)})</span> : null}
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : null}
      {import.meta.env.SSR ? served : null}
    </button>
  );
}

/** A link that is the main action of a screen and looks like a button. */
export function ButtonLink({ look = 'primary', children, ...link }: ComponentProps<'a'> & { look?: Look }) {
  return (
    <a {...link} className={`${styles.button} ${styles[look]}`}>
      <span className={styles.label}>{children}</span>
    </a>
  );
}
