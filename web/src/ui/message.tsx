import type { ReactNode, Ref } from 'react';
import { When } from '../lib/template';
import layout from './layout.module.css';
import styles from './message.module.css';

interface ErrorSummaryProps {
  words: string;
  /** The words of now, where they count down. Screen readers keep the first ones: each change would be read. */
  counted?: string;
  /** The request id that the user quotes to the operator. It is shown while the id is set. */
  requestId?: { id: string; words: string };
  /** The button to send the same input again, where that may succeed. */
  retry?: { label: string; onRetry: () => void } | undefined;
  ref?: Ref<HTMLDivElement>;
}

const NO_REQUEST = { id: '', words: '' };

/**
 * The error of the form as a whole. The region is always in the document, because
 * screen readers miss an alert that is inserted together with its text.
 */
export function ErrorSummary({ words, counted, requestId = NO_REQUEST, retry, ref }: ErrorSummaryProps) {
  return (
    <div role="alert" className={styles.region} tabIndex={-1} ref={ref}>
      <When value={words}>
        <div className={`${styles.box} ${styles.alert}`}>
          <p>
            {counted ? <span className={layout.hidden}>{words}</span> : words}
            {counted ? <span aria-hidden="true">{counted}</span> : null}
          </p>
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

interface NoticeProps {
  words: string;
  /** When it is shown, if that is not whenever it has words. */
  when?: { value: string; is: string };
  children?: ReactNode;
}

/** Tells the user something before the form, such as why a session ended. */
export function Notice({ words, when, children }: NoticeProps) {
  return (
    <div role="status">
      <When {...(when ?? { value: words })}>
        <div className={`${styles.box} ${styles.notice}`}>
          <p>{words}</p>
          {children}
        </div>
      </When>
    </div>
  );
}

/** Announces words to screen readers only, without moving the focus. */
export function Announcement({ words }: { words: string }) {
  return (
    <p role="status" className={layout.hidden}>
      {words}
    </p>
  );
}
