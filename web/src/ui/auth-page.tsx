import { type ReactNode, useEffect, useRef } from 'react';
import { When } from '../lib/template';
import styles from './auth-page.module.css';
import { keepSteady } from './steady';
import './tokens.css';

interface AuthPageProps {
  brand: { name: string; logo: string };
  /** Heading and document title. */
  title: string;
  /** Shown above the heading. */
  above?: ReactNode;
  children: ReactNode;
}

/** The page around every screen: the logo at the top left and one card in the middle. */
export function AuthPage({ brand, title, above, children }: AuthPageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (card.current) keepSteady(card.current);
  }, []);

  // A title that changes without a new document is a new step. Focus announces it.
  useEffect(() => {
    if (document.title === title) return;
    document.title = title;
    heading.current?.focus();
  }, [title]);

  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <a className={styles.logo} href="/">
          <When value={brand.logo} otherwise={<span className={styles.word}>{brand.name}</span>}>
            {/* low: otherwise React adds a preload, which the template could not remove where there is no logo */}
            <img src={brand.logo} alt={brand.name} fetchPriority="low" />
          </When>
        </a>
      </header>
      <main className={styles.main}>
        <div className={styles.card} ref={card}>
          {above}
          <h1 className={styles.title} tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {children}
        </div>
      </main>
    </div>
  );
}
