import type { ReactNode } from 'react';
import styles from './more.module.css';

/** What few users need. It is one line until the user opens it, also without script. */
export function More({ label, children }: { label: string; children: ReactNode }) {
  return (
    <details className={styles.more}>
      <summary className={styles.summary}>{label}</summary>
      <div className={styles.content}>{children}</div>
    </details>
  );
}
