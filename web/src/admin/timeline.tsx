import { useState } from 'react';
import { Icon } from '../screens/own/entry';
import { Card, clockOf, dayOf } from './parts';
import type { Happening } from './types';

type IconName = Parameters<typeof Icon>[0]['icon'];

function iconOf({ kind, what, failed }: Happening): IconName {
  if (failed || kind === 'limit') return 'alert';
  if (kind === 'email') return 'mail';
  if (kind === 'provider') return 'link';
  if (kind === 'session' || /signed|session/.test(what)) return 'enter';
  return /passkey|factor|recovery|password/.test(what) ? 'key' : 'change';
}

const KINDS: [string, string, (event: Happening) => boolean][] = [
  ['all', 'Everything', () => true],
  ['wrong', 'Failures', ({ failed }) => Boolean(failed)],
  ['emails', 'Emails', ({ kind }) => kind === 'email'],
  ['changes', 'Changes', ({ kind, what }) => kind !== 'email' && !/signed|session|failed/.test(what)],
];

const SHOWN = 12;

/** What has happened to the account, the newest first, by days. */
export function Timeline({ events }: { events: Happening[] }) {
  const [kind, setKind] = useState('all');
  const [shown, setShown] = useState(SHOWN);
  const passes = KINDS.find(([name]) => name === kind)?.[2] ?? (() => true);
  const matching = events.filter(passes);
  return (
    <Card title="What happened">
      <fieldset className="switch">
        <legend className="hidden-words">Show</legend>
        {KINDS.map(([name, label]) => (
          <label key={name}>
            <input type="radio" name="kind" checked={name === kind} onChange={() => setKind(name)} />
            {label}
          </label>
        ))}
      </fieldset>
      {matching.length ? (
        <ol className="days">
          {matching.slice(0, shown).map((event, index) => (
            <Line key={event.id} event={event} day={dayAfter(matching[index - 1], event)} />
          ))}
        </ol>
      ) : (
        <p className="empty">Nothing of this kind.</p>
      )}
      {matching.length > shown ? (
        <button type="button" className="link" onClick={() => setShown(shown + 50)}>
          Show older
        </button>
      ) : null}
    </Card>
  );
}

/** The heading of a new day, or "". */
function dayAfter(newer: Happening | undefined, event: Happening): string {
  const day = dayOf(event.at);
  return newer && dayOf(newer.at) === day ? '' : day;
}

function Line({ event, day }: { event: Happening; day: string }) {
  const { at, words, by, detail, network, browser, request_id, failed } = event;
  return (
    <li>
      {day ? <h3 className="day">{day}</h3> : null}
      <div className={failed ? 'happening failed' : 'happening'}>
        <Icon icon={iconOf(event)} />
        <div className="entry-words">
          <p className="entry-name">{words}</p>
          <p className="entry-line">
            {by && by !== 'self' ? <span>by {by}</span> : null}
            {detail ? <span>{detail}</span> : null}
            {browser ? <span>{browser}</span> : null}
            {network ? <span>{network}</span> : null}
            {request_id ? <span>request {request_id}</span> : null}
          </p>
        </div>
        <time className="entry-clock" dateTime={at} title={new Date(at).toString()}>
          {clockOf(at)}
        </time>
      </div>
    </li>
  );
}
