import { useRef, useState } from 'react';

export interface Selection {
  ids: string[];
  has: (id: string) => boolean;
  /** Selects a row or not. With Shift, the rows from the one before become the same. */
  toggle: (id: string, rows: string[], range: boolean) => void;
  all: (rows: string[], picked: boolean) => void;
  clear: () => void;
}

/** The selected rows of a list. They stay selected on other pages of it, and after an action. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const before = useRef('');
  const set = (rows: string[], picked: boolean) =>
    setIds((old) => {
      const next = new Set(old);
      for (const row of rows) picked ? next.add(row) : next.delete(row);
      return next;
    });
  return {
    ids: [...ids],
    has: (id) => ids.has(id),
    toggle: (id, rows, range) => {
      const from = rows.indexOf(before.current);
      const to = rows.indexOf(id);
      set(range && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [id], !ids.has(id));
      before.current = id;
    },
    all: set,
    clear: () => setIds(new Set()),
  };
}
