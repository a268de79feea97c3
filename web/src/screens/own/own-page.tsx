import { type ReactNode, useEffect } from 'react';
import type { Boot } from '../../api/schema.gen';
import type { Form } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { Success } from '../../ui/success';
import { Frame } from '../frame';
import styles from './own-page.module.css';
import { announceProof } from './proof';

interface OwnPageProps {
  boot: Boot;
  title: string;
  /** The forms of the page, whose errors are shown above its content. */
  form?: Pick<Form<object>, 'summary' | 'announcement'>;
  children: ReactNode;
}

/** A section of the account: the way back to all sections, and what the step before did. */
export function OwnPage({ boot, title, form, children }: OwnPageProps) {
  const { t } = useText();
  useEffect(announceProof, []);
  return (
    <Frame
      boot={boot}
      title={title}
      {...form}
      above={
        <nav className={styles.back} aria-label={t('section.back_label')}>
          <a href="/auth/account">
            <span aria-hidden="true">‹ </span>
            {t('section.back')}
          </a>
        </nav>
      }
    >
      <Success words={boot.success} />
      {children}
    </Frame>
  );
}
