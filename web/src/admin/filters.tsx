import { useQuery } from '@tanstack/react-query';
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { go, useQueryOf, within, withValues } from './address';
import type { Keys, People } from './types';

export interface Filter {
  name: string;
  label: string;
  /** The values with their words. Without them it is a text, or a day. */
  options?: [value: string, words: string][];
  type?: 'date' | 'text';
  hint?: string;
  /** Offers people by their names, and API keys by theirs. With a role, only people who have it. */
  people?: { role?: string; keys?: boolean };
  /** What a chip says of a value. */
  say?: (value: string) => string;
}

interface ChoiceProps {
  id?: string;
  name: string;
  label: string;
  /** What is chosen while nothing is. */
  all: string;
  options: [value: string, words: string][];
}

const PAUSE_MS = 300;

/** A field whose text goes into the address, a moment after the last key. */
function useTyped(name: string) {
  const query = useQueryOf();
  const now = query.get(name) ?? '';
  const [text, setText] = useState(now);
  const [sent, setSent] = useState(now);
  if (sent !== now) {
    setSent(now); // Back, or a filter that was taken away
    setText(now);
  }
  useEffect(() => {
    if (text === now) return;
    const timer = setTimeout(() => {
      setSent(text.trim());
      go(withValues({ [name]: text.trim() }), Boolean(now && text));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return [text, setText] as const;
}

/** The addresses of the people whose names begin with a text, and the API keys, of which the browser shows those that fit. */
function Suggested({ id, text, role = '', keys }: { id: string; text: string } & Filter['people']) {
  const asked = new URLSearchParams({ q: text.trim(), by: 'name-prefix', limit: '10', role });
  if (!role) asked.delete('role');
  const found = useQuery<People>({
    queryKey: [`people?${asked}`],
    enabled: text.trim().length > 1 && !text.includes('@'),
  });
  const all = useQuery<Keys>({ queryKey: ['keys?limit=100'], enabled: Boolean(keys && text) });
  return (
    <datalist id={id}>
      {found.data?.people.map(({ address, name }) => (
        <option key={address} value={address}>
          {name}
        </option>
      ))}
      {all.data?.keys.map((key) => (
        <option key={key.id} value={`key:${key.id}`}>
          {key.name}
        </option>
      ))}
    </datalist>
  );
}

interface FiltersProps {
  /** The field that searches. */
  search: Pick<Filter, 'name' | 'label' | 'people'> & { beside?: ReactNode };
  filters: Filter[];
  children?: ReactNode;
}

/** The focus beside the open filters closes them. It goes nowhere when the keyboard of a phone is put away. */
function closeBeside({ currentTarget, relatedTarget }: FocusEvent<HTMLDetailsElement>) {
  if (relatedTarget && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
}

/** A press beside them does so too, so that they do not stay over the list. */
function useClosedByPress() {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = ({ target }: Event) => {
      if (details.current && !details.current.contains(target as Node)) details.current.open = false;
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, []);
  return details;
}

function closeByKey({ key, nativeEvent, currentTarget }: KeyboardEvent<HTMLDetailsElement>) {
  if (key !== 'Escape' || nativeEvent.isComposing || !currentTarget.open) return;
  currentTarget.open = false;
  currentTarget.querySelector('summary')?.focus();
}

/** The search of a list and its filters. All of them are in the address of the page. */
export function Filters({ search, filters, children }: FiltersProps) {
  const query = useQueryOf();
  const [text, setText] = useTyped(search.name);
  const active = filters.filter(({ name }) => query.get(name));
  const details = useClosedByPress();
  return (
    <search className="filters">
      <div className="filters-line">
        <div className="find">
          <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M8.8 14.6a5.8 5.8 0 1 0 0-11.6 5.8 5.8 0 0 0 0 11.6zM13 13l4 4" />
          </svg>
          <input
            type="search"
            aria-label={search.label}
            placeholder={search.label}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            list={search.people && 'suggested'}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {search.people ? <Suggested id="suggested" text={text} {...search.people} /> : null}
        </div>
        {search.beside}
        <details ref={details} className="filters-more" onBlur={closeBeside} onKeyDown={closeByKey}>
          <summary>Filters{active.length ? ` (${active.length})` : ''}</summary>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is at least as wide as its content */}
          <div className="filters-panel" role="group" aria-label="Filters" tabIndex={-1}>
            {filters.map((filter) => (
              <OneFilter key={filter.name} {...filter} />
            ))}
          </div>
        </details>
        {children}
      </div>
      {active.length ? (
        <ul className="chips" aria-label="Active filters">
          {active.map((filter) => (
            <li key={filter.name}>
              <a className="chip" href={withValues({ [filter.name]: '' })} onClick={within}>
                <span className="hidden-words">Remove the filter </span>
                {filter.label}: <b>{wordsFor(filter, query.get(filter.name) ?? '')}</b>
                <span aria-hidden="true">×</span>
              </a>
            </li>
          ))}
          <li>
            <a
              className="chip-all"
              href={withValues(Object.fromEntries(active.map(({ name }) => [name, ''])))}
              onClick={within}
            >
              Remove all
            </a>
          </li>
        </ul>
      ) : null}
    </search>
  );
}

/** A choice with its state in the address. It has a label of its own, or beside a search a hidden one. */
export const Choice = ({ id, name, label, all, options }: ChoiceProps) => (
  <select
    id={id}
    className={id ? '' : 'beside'}
    aria-label={id ? undefined : label}
    value={useQueryOf().get(name) ?? ''}
    onChange={(event) => go(withValues({ [name]: event.target.value }))}
  >
    <option value="">{all}</option>
    {options.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
);

const wordsFor = ({ options, say }: Filter, value: string) =>
  options?.find(([option]) => option === value)?.[1] ?? say?.(value) ?? value;

function OneFilter({ name, label, options, type = 'text', hint, people }: Filter) {
  const [text, setText] = useTyped(name);
  return (
    <div className="field">
      <label htmlFor={`filter-${name}`}>{label}</label>
      {options ? (
        <Choice id={`filter-${name}`} name={name} label={label} all="Any" options={options} />
      ) : (
        <input
          id={`filter-${name}`}
          type={type}
          placeholder={hint}
          autoComplete="off"
          list={people && `suggested-${name}`}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {people ? <Suggested id={`suggested-${name}`} text={text} {...people} /> : null}
    </div>
  );
}
