import type { ReactNode } from 'react';
import styles from './message.module.css';

/** Tells the user what to check before going on. Nothing has failed, so it is no alert. */
export function Warning({ children }: { children: ReactNode }) {
  return <p className={`${styles.box} ${styles.alert}`}>{children}</p>;
}
