import type { ReactNode } from 'react';
import { When } from '../lib/template';
import styles from './success.module.css';

/** Says once that the step before has succeeded. */
export function Success({ words, children }: { words: string; children?: ReactNode }) {
  return (
    <div role="status">
      <When value={words}>
        <div className={styles.box} tabIndex={-1}>
          <Check />
          <p>{words}</p>
          {children}
        </div>
      </When>
    </div>
  );
}

/** Says that an action on this page has succeeded, in the place of a hint. */
export const SuccessHint = ({ children }: { children: ReactNode }) => (
  <p className={styles.hint}>
    <Check />
    {children}
  </p>
);

const Check = () => (
  <svg
    className={styles.check}
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d="M3 8.5l3.5 3.5L13 4.5" />
  </svg>
);
