import { useState } from 'react';
import { Icon } from '../screens/own/entry';
import { Card, useTimes } from './parts';
import type { Email, Happening, Person } from './types';
import { ACTORS, detailWords, failed, mailWords } from './words';

/** A line of the timeline: an event, or an email. */
type Told = Omit<Happening, 'kind'> & { kind: string };

type IconName = Parameters<typeof Icon>[0]['icon'];

function iconOf(event: Told): IconName {
  if (failed(event)) return 'alert';
  if (event.kind === 'email') return 'mail';
  if (/^signed_out|session/.test(event.what)) return 'leave';
  if (/^signed/.test(event.what)) return 'enter';
  return /passkey|factor|recovery|password/.test(event.what) ? 'key' : 'change';
}

const KINDS: [string, string, (event: Told) => boolean][] = [
  ['all', 'Everything', () => true],
  ['wrong', 'Failures', failed],
  ['emails', 'Emails', ({ kind }) => kind === 'email'],
  [
    'changes',
    'Changes',
    (event) => event.kind !== 'email' && !failed(event) && !/^signed|session/.test(event.what),
  ],
];

const SHOWN = 12;

/** The emails as lines of the timeline. */
const lineOf = ({ id, template, state, answer, asked_at }: Email): Told => ({
  id,
  at: asked_at,
  kind: 'email',
  what: template,
  words: `Email: ${mailWords(template)}`,
  actor: { kind: '', id: '', address: '', name: '' },
  detail: answer ? `${state}: ${answer}` : state,
  network: '',
  browser: '',
  request_id: '',
});

/** What has happened to the account, with the emails to it, the newest first, by days. */
export function Timeline({ of: { id, events, more_events, emails } }: { of: Person }) {
  const [kind, setKind] = useState('all');
  const [shown, setShown] = useState(SHOWN);
  const passes = KINDS.find(([name]) => name === kind)?.[2] ?? (() => true);
  const all = [...events, ...emails.map(lineOf)].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const matching = all.filter(passes);
  return (
    <Card title="What happened">
      <fieldset className="filter">
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
            <Line key={event.kind + event.id} event={event} newer={matching[index - 1]} />
          ))}
        </ol>
      ) : (
        <p className="empty">Nothing of this kind.</p>
      )}
      {matching.length > shown ? (
        <button type="button" className="link" onClick={() => setShown(shown + 50)}>
          Show older
        </button>
      ) : more_events ? (
        <p>
          Older events are <a href={`/auth/admin/record?person=${encodeURIComponent(id)}`}>in the record</a>.
        </p>
      ) : null}
    </Card>
  );
}

/** With a heading if the newer one is of another day. */
function Line({ event, newer }: { event: Told; newer: Told | undefined }) {
  const { day, exact, clock } = useTimes();
  const at = new Date(event.at);
  const { actor, what, detail, network, browser, request_id } = event;
  return (
    <li>
      {newer && day(new Date(newer.at)) === day(at) ? null : <h3 className="day">{day(at)}</h3>}
      <div className={failed(event) ? 'entry failed' : 'entry'}>
        <Icon icon={iconOf(event)} />
        <div className="entry-words">
          <p className="entry-name">{event.words}</p>
          <p className="entry-line">
            {actor.kind === 'admin' ? (
              <span>
                by{' '}
                <a href={`/auth/admin/people/${encodeURIComponent(actor.id)}`}>
                  {actor.address || 'an administrator'}
                </a>
              </span>
            ) : actor.kind && actor.kind !== 'self' ? (
              <span>
                by {ACTORS[actor.kind] ?? actor.kind} <bdi>{actor.name}</bdi>
              </span>
            ) : null}
            {[detailWords(what, detail), browser, network, request_id && `request ${request_id}`]
              .filter(Boolean)
              .map((part) => (
                <span key={part}>{part}</span>
              ))}
          </p>
        </div>
        <time className="entry-clock" dateTime={event.at} title={exact(at)}>
          {clock(at)}
        </time>
      </div>
    </li>
  );
}
