import type { ReactNode } from 'react';
import styles from './layout.module.css';

/** The purpose of the screen, below its heading. */
export const Lead = ({ children }: { children: ReactNode }) => <p className={styles.text}>{children}</p>;

export const Hint = ({ children }: { children: ReactNode }) => <p className={styles.hint}>{children}</p>;

/** An address within a text. It starts a new line rather than break at a hyphen. */
export const Whole = ({ children }: { children: ReactNode }) => (
  <bdi className={styles.whole}>{children}</bdi>
);
