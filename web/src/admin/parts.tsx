import { focusManager, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { timeWords } from '../lib/local-times';
import { Button } from '../ui/button';
import { ErrorSummary } from '../ui/message';
import { wordsOf } from './api';
import type { Row } from './types';

let today = new Date();
let todays = timeWords('en', today);

/** The words for times as of now. Their formatters are made once a day. */
function times() {
  const now = new Date();
  if (now.toDateString() !== today.toDateString()) todays = timeWords('en', now);
  today = now;
  return todays;
}

/** The same for what is on the page, also when somebody comes back to it on another day. */
export const useTimes = () => useSyncExternalStore(focusManager.subscribe, times);

/** A time in the zone of the browser, with the exact one on hover. */
export function Time({ at, none = 'never' }: { at: string | undefined; none?: string }) {
  const { exact, short } = useTimes();
  if (!at) return <span className="muted">{none}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact(date)}>
      {short(date)}
    </time>
  );
}

const HOUR_MS = 3_600_000;

/** The day of a time that is exact to an hour: the clock, which comes last, would say more than is known. */
export function Seen({ at }: { at: string }) {
  const { exact, short } = useTimes();
  if (!at) return <Time at={at} />;
  const date = new Date(at);
  const later = Date.now() - date.getTime() < HOUR_MS ? 'or later' : 'or up to an hour later';
  return (
    <time dateTime={at} title={`${exact(date)}, ${later}`}>
      {short(date).replace(/,[^,]*$/, '')}
    </time>
  );
}

export const shortly = (at: string) => times().short(new Date(at));

type Tone = 'good' | 'bad' | 'warn' | 'plain' | 'accent';

export const Tag = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={`badge tag ${tone}`}>{children}</span>
);

/** How an account is. One that is being deleted has a date, and the state `disabled` if an administrator deletes it. */
export function StateTag({ of: { state, erased_at } }: { of: Pick<Row, 'state' | 'erased_at'> }) {
  if (erased_at) return <Tag tone="warn">Being deleted</Tag>;
  if (state === 'waiting') return <Tag tone="warn">Waits for an approval</Tag>;
  return state === 'active' ? <Tag tone="good">Active</Tag> : <Tag tone="bad">Disabled</Tag>;
}

export const Roles = ({ of: { roles } }: { of: Pick<Row, 'roles'> }) =>
  roles.map((role) => (
    <Tag key={role} tone={role === 'portico:admin' ? 'accent' : 'plain'}>
      {role}
    </Tag>
  ));

/** Says why something could not be read, with a button to read it again. */
export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  const { words, id } = error ? wordsOf(error) : { words: '', id: '' };
  return (
    <ErrorSummary
      words={words}
      requestId={{ id, words: `Request ${id}` }}
      retry={retry && { label: 'Try again', onRetry: retry }}
    />
  );
}

/** What one page reads: gray lines as long as it waits, an error with a retry, or the content. */
export function Loaded<T>({
  query,
  lines = 6,
  children,
}: {
  query: UseQueryResult<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  const { data, error, isPending } = query;
  return (
    <>
      <Trouble error={error} retry={() => void query.refetch()} />
      {isPending ? (
        <div className="waiting card">
          <p className="hidden-words" role="status">
            Loading
          </p>
          {Array.from({ length: lines }, (_, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines without content
            <span key={line} className="bone" />
          ))}
        </div>
      ) : null}
      {data === undefined ? null : children(data)}
    </>
  );
}

/** A part of a place, with its heading. */
export function Card(props: { title: string; action?: ReactNode; about?: string; children: ReactNode }) {
  return (
    <section className="card" aria-label={props.title}>
      <div className="card-head">
        <h2>{props.title}</h2>
        {props.action}
      </div>
      {props.about ? <p className="card-about">{props.about}</p> : null}
      {props.children}
    </section>
  );
}

/** A small button, as in a row. Its label names what it is about. */
export const Small = (props: { label?: string; busy?: boolean; onClick: () => void; children: string }) => (
  <span className="small">
    <Button
      type="button"
      look="secondary"
      busy={props.busy ?? false}
      aria-label={props.label}
      onClick={props.onClick}
    >
      {props.children}
    </Button>
  </span>
);

/** Copies a text, and says whether it did. */
export function Copy({ of, text }: { of: string; text: string }) {
  const [copied, setCopied] = useState<boolean>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <>
      <Small label={copied ? `Copied ${of}` : `Copy ${of}`} onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
      </Small>
      <span role="status">
        {copied ? <span className="hidden-words">Copied.</span> : null}
        {copied === false ? ' Your browser didn’t allow copying. Select the text and copy it yourself.' : ''}
      </span>
    </>
  );
}

/** What is shown once, such as a secret. */
export const Once = ({ of, text }: { of: string; text: string }) => (
  <p className="secret">
    <code>{text}</code>
    <Copy of={of} text={text} />
  </p>
);
