import type { ReactNode } from 'react';
import page from '../ui/auth-page.module.css';
import { boot } from './boot';
import { ProofDialog } from './proof';

const PLACES = {
  people: {
    name: 'People',
    icon: 'M7.5 9.3a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8zM2.2 16.5a5.3 5.3 0 0 1 10.6 0M13 9a2.4 2.4 0 1 0-.6-4.7M14.6 11.4a4.4 4.4 0 0 1 3.2 4.4',
  },
  invitations: { name: 'Invitations', icon: 'M2.8 4.8h14.4v10.4H2.8zM3 5.2l7 5.6 7-5.6' },
  apps: { name: 'Apps', icon: 'M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM11.5 11.5h5v5h-5z' },
  keys: {
    name: 'Keys',
    icon: 'M7 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM9.5 9.5l7-7M13.5 5.5l2.5 2.5',
  },
  record: { name: 'Record', icon: 'M4.5 2.8h11v14.4h-11zM7.3 6.5h5.4M7.3 10h5.4M7.3 13.5h3' },
  system: { name: 'System', icon: 'M3 3.8h14v5H3zM3 11.2h14v5H3zM6 6.3h.1M6 13.7h.1' },
};

export type PlaceName = keyof typeof PLACES;

/** On a narrow window the places are a row that scrolls. */
const showInRow = (link: HTMLElement | null) => link?.scrollIntoView({ block: 'nearest', inline: 'center' });

/** The frame of every place: the brand, who is signed in, and the way to the other places. */
export function Shell({ at, children }: { at: PlaceName; children: ReactNode }) {
  const { brand, user } = boot;
  const who = user.name || user.email;
  return (
    <div className="admin">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="top">
        <a className={page.logo} href="/auth/admin">
          {brand.logo ? (
            <img src={brand.logo} alt={brand.name} />
          ) : (
            <span className={page.word}>{brand.name}</span>
          )}
        </a>
        <span className="top-mark">Administration</span>
        <a className="top-who" href="/auth/account">
          <span className="hidden-words">Your account</span>
          <bdi>{who}</bdi>
          <span className="portrait" aria-hidden="true">
            {who.slice(0, 1).toUpperCase()}
          </span>
        </a>
      </header>
      <nav className="places" aria-label="Administration">
        <ul>
          {(Object.keys(PLACES) as PlaceName[]).map((name) => (
            <li key={name}>
              <a
                href={`/auth/admin/${name}`}
                aria-current={name === at ? 'page' : undefined}
                ref={name === at ? showInRow : null}
              >
                <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
                  <path d={PLACES[name].icon} />
                </svg>
                {PLACES[name].name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        {children}
        <ProofDialog />
      </main>
    </div>
  );
}

/** The title of a place, what it is for, and its main actions at the right. */
export function Head(props: { title: string; badge?: ReactNode; children?: ReactNode; actions?: ReactNode }) {
  document.title = `${props.title} · Administration`;
  return (
    <div className="head">
      <div className="head-words">
        <h1 tabIndex={-1}>
          <bdi>{props.title}</bdi>
          {props.badge}
        </h1>
        {props.children ? <p className="head-line">{props.children}</p> : null}
      </div>
      {props.actions ? <div className="head-actions">{props.actions}</div> : null}
    </div>
  );
}
