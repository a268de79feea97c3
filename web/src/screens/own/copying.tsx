import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button';
import styles from './copying.module.css';

/** Copies a text that is shown once, and says so. Without script the user does so with the browser. */
export function Copying({
  text,
  label,
  copied,
  refused,
  children,
}: {
  text: () => string;
  label: string;
  /** What is said when it is copied, and when the browser did not allow that. */
  copied: string;
  refused: string;
  children?: ReactNode;
}) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid(copied);
    } catch {
      setSaid(refused);
    }
  };
  return (
    <div className={styles.copying}>
      <Button type="button" look="quiet" onClick={copy}>
        {label}
      </Button>
      {children}
      <p role="status" className={styles.said}>
        {said}
      </p>
    </div>
  );
}
