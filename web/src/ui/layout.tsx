import type { ReactNode } from 'react';
import styles from './layout.module.css';

/** The alternative action, below the form. */
export const Footer = ({ children }: { children: ReactNode }) => <p className={styles.footer}>{children}</p>;

/** A link that belongs to the field above it. */
export const Aside = ({ children }: { children: ReactNode }) => <p className={styles.aside}>{children}</p>;

export const Actions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);

export const Divider = ({ children }: { children: ReactNode }) => (
  <p className={styles.divider}>{children}</p>
);
