import { type ReactNode, useEffect, useRef } from 'react';
import { Served } from '../lib/served';
import { tabTitle } from '../lib/tab-title';
import { When } from '../lib/template';
import styles from './auth-page.module.css';
import './language-menu.css'; // plain: the build drops a module whose classes no script names
import { keepSteady } from './steady';
import './tokens.css';

interface AuthPageProps {
  brand: { name: string; logo: string };
  /** Heading and document title. That of a page of the account names the site, too. */
  title: string;
  /** Shown above the heading. */
  above?: ReactNode;
  /** Beside the card, on a page of the account. The card then keeps its place at the top. */
  rail?: ReactNode;
  /** Below the card. It is rendered at build time only. */
  footer: ReactNode;
  children: ReactNode;
}

/** The page around every screen: the logo at the top, one card in the middle, and a quiet line at the bottom. */
export function AuthPage({ brand, title, above, rail, footer, children }: AuthPageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (card.current) keepSteady(card.current);
  }, []);

  // A title that changes without a new document is a new step. Focus announces it. That of a document may begin with "Error:".
  const tab = rail ? tabTitle(title, brand) : title;
  useEffect(() => {
    if (document.title.endsWith(tab)) return;
    document.title = tab;
    heading.current?.focus();
  }, [tab]);

  return (
    <div className={rail ? `${styles.page} account` : styles.page}>
      <header className={styles.header}>
        <a className={styles.logo} href="/">
          <When value={brand.logo} otherwise={<span className={styles.word}>{brand.name}</span>}>
            {/* low: otherwise React adds a preload, which the template could not remove where there is no logo */}
            <img src={brand.logo} alt={brand.name} fetchPriority="low" />
          </When>
        </a>
      </header>
      {rail}
      <main className={styles.main} id="content">
        <div className={styles.card} ref={card}>
          {above}
          <h1 className={styles.title} tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {children}
        </div>
      </main>
      <Served as="footer" className={styles.footer ?? ''}>
        {footer}
      </Served>
    </div>
  );
}
