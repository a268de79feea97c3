import type { ReactNode } from 'react';
import { alert, app, change, desktop, enter, key, leave, link, mail, phone, window } from './icons';

const ICONS = { desktop, phone, window, key, mail, link, app, enter, leave, change, alert };

export const Icon = ({ icon }: { icon: keyof typeof ICONS }) => (
  <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={ICONS[icon]} />
  </svg>
);

interface EntryProps {
  icon: ReactNode;
  name: ReactNode;
  badge?: ReactNode;
  /** The parts of the quiet line, each an element. */
  children: ReactNode;
  /** A button, or a few of them. */
  action?: ReactNode;
  /** What unfolds below the entry. */
  more?: ReactNode;
}

/** What an account has one or more of: an icon, a name with its badge, a quiet line, and what can be done at the right. */
export function Entry({ icon, name, badge, children, action, more }: EntryProps) {
  return (
    <li className="entry">
      {icon}
      <div className="entry-words">
        <p className="entry-name">
          <bdi>{name}</bdi>
          {badge}
        </p>
        <p className="entry-line">{children}</p>
      </div>
      {action ? <div className="entry-actions">{action}</div> : null}
      {more ? <div className="entry-more">{more}</div> : null}
    </li>
  );
}

export const Entries = ({ children }: { children: ReactNode }) => <ul className="entries">{children}</ul>;

/** What a list is for and how it fills, in the place of an empty one. */
export const Empty = ({ children }: { children: ReactNode }) => <p className="empty">{children}</p>;

export const Badge = ({ children }: { children: ReactNode }) => <span className="badge">{children}</span>;
