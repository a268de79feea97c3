import { type ReactNode, useState } from 'react';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import styles from './copying.module.css';

/** Copies a text that is shown once, and says so. Without script the user does so with the browser. */
export function Copying({
  text,
  refused,
  children,
}: {
  text: () => string;
  /** What is said when the browser did not allow it. */
  refused: string;
  children?: ReactNode;
}) {
  const { t } = useText();
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid(t('common.copied'));
    } catch {
      setSaid(refused);
    }
  };
  return (
    <div className={styles.copying}>
      <Button type="button" look="quiet" onClick={copy}>
        {t('common.copy')}
      </Button>
      {children}
      <p role="status" className={styles.said}>
        {said}
      </p>
    </div>
  );
}
