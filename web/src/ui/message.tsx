import type { ReactNode, Ref } from 'react';
import { When } from '../lib/template';
import styles from './message.module.css';

interface ErrorSummaryProps {
  words: string;
  /** What to quote to the operator; shown while the id is set. */
  requestId: { id: string; words: string };
  /** Offered when the same input may succeed later. */
  retry?: { label: string; onRetry: () => void } | undefined;
  ref?: Ref<HTMLDivElement>;
}

/**
 * What is wrong with the form as a whole. The region is always in the document:
 * screen readers miss an alert that is inserted together with its text.
 */
export function ErrorSummary({ words, requestId, retry, ref }: ErrorSummaryProps) {
  return (
    <div role="alert" className={styles.region} tabIndex={-1} ref={ref}>
      <When value={words}>
        <div className={`${styles.box} ${styles.alert}`}>
          <p>{words}</p>
          <When value={requestId.id}>
            <p className={styles.detail}>{requestId.words}</p>
          </When>
          {retry ? (
            <button type="button" className={styles.action} onClick={retry.onRetry}>
              {retry.label}
            </button>
          ) : null}
        </div>
      </When>
    </div>
  );
}

/** Something to know before starting, such as why a session ended. */
export function Notice({ words, children }: { words: string; children?: ReactNode }) {
  return (
    <div role="status">
      <When value={words}>
        <div className={`${styles.box} ${styles.notice}`}>
          <p>{words}</p>
          {children}
        </div>
      </When>
    </div>
  );
}

/** Says something to screen readers alone, without moving the focus. */
export function Announcement({ words }: { words: string }) {
  return (
    <p role="status" className={styles.announcement}>
      {words}
    </p>
  );
}
