import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { within, withValues } from './address';
import { readOn } from './api';
import { Trouble } from './parts';
import type { Selection } from './selection';
import type { Page } from './types';

export interface Column<T> {
  name: string;
  cell: (row: T) => ReactNode;
  /** Only a wide window has this column. The first one says the same on a narrow one, where it matters. */
  wide?: boolean;
  /** The name is for screen readers only. */
  quiet?: boolean;
}

interface TableProps<A extends Page, T> {
  /** What is listed, as in "people". */
  label: string;
  query: UseQueryResult<A>;
  rowsOf: (answer: A) => T[];
  keyOf: (row: T) => string;
  columns: Column<T>[];
  empty: ReactNode;
  selection?: Selection;
  nameOf?: (row: T) => string;
}

/** The page of a list at a path of the API. The one before stays until it is there. */
export const useRows = <A extends Page>(path: string, rowsOf: (answer: A) => unknown[]) =>
  useQuery<A>({
    queryKey: [path],
    queryFn: () => readOn(path, rowsOf),
    placeholderData: keepPreviousData,
  });

/** A list as a table, with the ways to its other pages. Its head stays while the rows load, fail or are none, so that nothing jumps. */
export function Table<A extends Page, T>(props: TableProps<A, T>) {
  const { label, query, rowsOf, keyOf, columns, empty, selection, nameOf = () => '' } = props;
  const { data, error, isPending, isPlaceholderData } = query;
  const rows = data ? rowsOf(data) : [];
  const ids = rows.map(keyOf);
  return (
    <>
      <Trouble error={error} retry={() => void query.refetch()} />
      <div className="table-box">
        <table aria-label={label} tabIndex={-1} aria-busy={isPending || isPlaceholderData}>
          <thead>
            <tr>
              {selection ? (
                <th className="pick">
                  <input
                    type="checkbox"
                    aria-label={`Select all ${label} of this page`}
                    checked={ids.length > 0 && ids.every((id) => selection.has(id))}
                    onChange={(event) => selection.all(ids, event.target.checked)}
                  />
                </th>
              ) : null}
              {columns.map(({ name, wide, quiet }) => (
                <th key={name} className={wide ? 'wide' : ''}>
                  {quiet ? <span className="hidden-words">{name}</span> : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const id = keyOf(row);
              const picked = selection?.has(id);
              return (
                <tr key={id} className={picked ? 'picked' : ''}>
                  {selection ? (
                    <td className="pick">
                      <input
                        type="checkbox"
                        aria-label={`Select ${nameOf(row)}`}
                        checked={picked ?? false}
                        onChange={({ nativeEvent }) =>
                          selection.toggle(id, ids, (nativeEvent as unknown as MouseEvent).shiftKey)
                        }
                      />
                    </td>
                  ) : null}
                  {columns.map(({ name, wide, cell }) => (
                    <td key={name} className={wide ? 'wide' : ''}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
            {isPending ? <Bones columns={columns.length + (selection ? 1 : 0)} /> : null}
          </tbody>
        </table>
        {data && !rows.length ? <div className="none">{empty}</div> : null}
      </div>
      {isPending ? (
        <p className="hidden-words" role="status">
          Loading
        </p>
      ) : null}
      <Pager page={data} label={label} />
    </>
  );
}

const Bones = ({ columns }: { columns: number }) =>
  [1, 2, 3, 4, 5, 6, 7, 8].map((row) => (
    <tr key={row} className="bones">
      <td colSpan={columns}>
        <span className="bone" />
      </td>
    </tr>
  ));

/** Leads to the beginning of the next page, which is far from the link to it. */
function turn(event: React.MouseEvent<HTMLAnchorElement>) {
  within(event);
  if (!event.isDefaultPrevented()) return; // a new tab
  const table = document.querySelector<HTMLElement>('main table');
  table?.focus({ preventScroll: true });
  table?.scrollIntoView();
}

/** The ways to the other pages of a list. */
function Pager({ page, label }: { page: Page | undefined; label: string }) {
  const after = new URLSearchParams(location.search).get('after');
  if (!page || !(after || page.next)) return null;
  const { searched, next = '' } = page;
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      {searched && next ? <p>Only part of the list was searched.</p> : null}
      <span className="pager-links">
        {after ? (
          <a
            href={withValues({ after: '' })}
            onClick={(event) => {
              if (!history.state?.within) return within(event);
              event.preventDefault();
              history.back();
            }}
          >
            ‹ Previous
          </a>
        ) : null}
        {next ? (
          <a href={withValues({ after: next })} onClick={turn}>
            {searched ? 'Search on' : 'Next'} ›
          </a>
        ) : null}
      </span>
    </nav>
  );
}
