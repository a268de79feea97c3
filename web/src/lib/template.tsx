import { Fragment, type ReactNode } from 'react';

/*
 * The build renders every screen once with slots in place of values and turns
 * the result into a Go template. The browser renders the same components with
 * the values. Both must give the same markup, so each branch on a value of the
 * boot data uses When, Unless, Each, choose or oneOf. The code for slots stands
 * behind import.meta.env.SSR and is not part of the browser's bundle.
 *
 * Children of When and Each are elements, never bare text: React separates
 * neighboring texts by a comment, which a template branch would lose.
 */

const OPEN = '\uE000';
const CLOSE = '\uE001';

type List<T> = readonly T[] & { readonly slot?: string };

const SLOT = new RegExp(`^${OPEN}(\\$?\\.[^${CLOSE}]+)${CLOSE}$`);

const action = (text: string) => `${OPEN}${text}${CLOSE}`;

/** The path behind a slot (`$.values.email`, in a list `.id`), undefined for a plain value. */
function slotPath(value: unknown): string | undefined {
  if (!import.meta.env.SSR) return undefined;
  if (typeof value === 'string') return SLOT.exec(value)?.[1];
  return Array.isArray(value) ? (value as List<unknown>).slot : undefined;
}

const test = (path: string, is: string | undefined) => (is === undefined ? path : `eq ${path} "${is}"`);

const holds = (value: string | readonly unknown[], is: string | undefined) =>
  is === undefined ? value.length > 0 : value === is;

const branch = (condition: string, yes: string, no: string) =>
  `${action(`if ${condition}`)}${yes}${action('else')}${no}${action('end')}`;

/** The text `yes` while the value is set, else `no`. It is for attributes and sentences. */
export function choose(value: string | readonly unknown[], yes: string, no: string): string {
  const path = slotPath(value);
  if (path === undefined) return holds(value, undefined) ? yes : no;
  return branch(path, yes, no);
}

/** The text of `cases` that stands for the value, else `otherwise`. */
export function oneOf<V extends string>(
  value: V,
  cases: { readonly [K in V]?: string },
  otherwise: string,
): string {
  const path = slotPath(value);
  if (path === undefined) return cases[value] ?? otherwise;
  return Object.entries<string>(cases as Record<string, string>).reduceRight(
    (no, [is, yes]) => branch(test(path, is), yes, no),
    otherwise,
  );
}

/** `value` as a query parameter's value, escaped as Go's url.QueryEscape does. */
export function queryValue(value: string): string {
  const path = slotPath(value);
  if (path !== undefined) return action(`urlquery ${path}`);
  return encodeURIComponent(value)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

interface WhenProps {
  value: string | readonly unknown[];
  is?: string;
  children: ReactNode;
  otherwise?: ReactNode;
}

/** `children` while the value is set (or is `is`), else `otherwise`. */
export function When({ value, is, children, otherwise }: WhenProps): ReactNode {
  const path = slotPath(value);
  if (path === undefined) return holds(value, is) ? children : otherwise;
  return (
    <go-if data-test={test(path, is)}>
      {children}
      {otherwise ? <go-else /> : null}
      {otherwise}
    </go-if>
  );
}

/** `children` while the value is not set (or is not `is`). */
export const Unless = ({ children, ...condition }: Omit<WhenProps, 'otherwise'>) => (
  <When {...condition} otherwise={children}>
    {null}
  </When>
);

/** `children` for every item. */
export function Each<T extends { id: string }>(props: {
  of: readonly T[];
  children: (item: T) => ReactNode;
}): ReactNode {
  const items = props.of.map((item) => <Fragment key={item.id}>{props.children(item)}</Fragment>);
  const path = slotPath(props.of);
  return path === undefined ? items : <go-range data-over={path}>{items}</go-range>;
}

type Slots<T> = T extends readonly (infer E)[] ? List<Slots<E>> : T;

/**
 * A copy of `shape` with a slot for every text and number. A list of objects holds one object of slots.
 * As in Go templates, `$` is the boot data, also inside a list, and `.` the item of a list.
 */
export function slots<T>(shape: T, path = '$'): Slots<T> {
  if (Array.isArray(shape)) {
    const list = shape.slice(0, 1).map((item) => slots(item, ''));
    return Object.assign(list, { slot: path }) as unknown as Slots<T>;
  }
  if (typeof shape === 'object' && shape !== null) {
    const entries = Object.entries(shape).map(([key, value]) => [key, slots(value, `${path}.${key}`)]);
    return Object.fromEntries(entries) as Slots<T>;
  }
  return action(path) as unknown as Slots<T>;
}

/** The Go template of markup that was rendered with slots. */
export function goTemplate(markup: string): string {
  return markup
    .replace(/<go-if data-test="([^"]*)">/g, (_, condition: string) => `{{if ${unescapeQuotes(condition)}}}`)
    .replace(/<go-range data-over="([^"]*)">/g, '{{range $1}}')
    .replaceAll('<go-else></go-else>', '{{else}}')
    .replace(/<\/go-(if|range)>/g, '{{end}}')
    .replace(new RegExp(`${OPEN}([^${CLOSE}]*)${CLOSE}`, 'g'), (_, text: string) => `{{${asAction(text)}}}`);
}

const unescapeQuotes = (text: string) => text.replaceAll('&quot;', '"');

const asAction = (text: string) => (/^\$?\./.test(text) ? `html ${text}` : unescapeQuotes(text));

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'go-if': { 'data-test': string; children: ReactNode };
      'go-else': object;
      'go-range': { 'data-over': string; children: ReactNode };
    }
  }
}
