import type { ReactNode } from 'react';
import type { Moment } from '../../api/schema.gen';

const ICONS = {
  desktop: 'M4 4.5h12v8.2H4zM2 15.7h16',
  phone: 'M6 2.5h8v15H6zM9 14.8h2',
  window: 'M3 4h14v12H3zM3 7.2h14M7.3 11.5l2 2 3.5-3.8',
  key: 'M6.5 13.2a3.3 3.3 0 1 0 0-6.5 3.3 3.3 0 0 0 0 6.5zM9.8 10h7.4v3M13.8 10v2.4',
  mail: 'M2.8 4.5h14.4v11H2.8zM3 5.3l7 5.4 7-5.4',
  link: 'M8.4 11.6a3 3 0 0 0 4.3 0l2.6-2.6a3 3 0 0 0-4.3-4.3l-.9.9M11.6 8.4a3 3 0 0 0-4.3 0L4.7 11A3 3 0 0 0 9 15.3l.9-.9',
  app: 'M3.3 3.3h5v5h-5zM11.7 3.3h5v5h-5zM3.3 11.7h5v5h-5zM11.7 11.7h5v5h-5z',
  enter: 'M11 3.5h5.5v13H11M3.5 10h8.5M9 6.8l3.2 3.2L9 13.2',
  change: 'M4 16l.7-3.3L13.5 4 16 6.5l-8.7 8.8z',
  alert: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6.3v4.4M10 13.2v.4',
};

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

/** A text with a time in the place of {time}. The script writes the time in the zone of the browser. */
export function Timed({ words, of }: { words: string; of: Moment }) {
  const [before, after] = words.split('{time}');
  return (
    <span>
      {before}
      <time dateTime={of.at}>{of.words}</time>
      {after}
    </span>
  );
}
