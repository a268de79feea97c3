import { useState } from 'react';
import { Icon } from '../screens/own/entry';
import { Card, clockOf, dayOf, exactly } from './parts';
import type { Moment } from './types';
import { failed, wordsOfMoment } from './words';

type IconName = Parameters<typeof Icon>[0]['icon'];

function iconOf(moment: Moment): IconName {
  const { kind, what } = moment;
  if (failed(moment) || kind === 'limit') return 'alert';
  if (kind === 'email' || kind === 'address') return 'mail';
  if (kind === 'provider') return 'link';
  if (kind === 'session' || /^signed|session/.test(what)) return 'enter';
  return /passkey|factor|recovery|password/.test(what) ? 'key' : 'change';
}

const KINDS: [string, string, (moment: Moment) => boolean][] = [
  ['all', 'Everything', () => true],
  ['wrong', 'Failures', failed],
  ['emails', 'Emails', ({ kind }) => kind === 'email'],
  [
    'changes',
    'Changes',
    (moment) =>
      !/email|session|limit/.test(moment.kind) && !failed(moment) && !/^signed|session/.test(moment.what),
  ],
];

const SHOWN = 12;

/** What has happened to the account, the newest first, by days. */
export function Timeline({ moments }: { moments: Moment[] }) {
  const [kind, setKind] = useState('all');
  const [shown, setShown] = useState(SHOWN);
  const passes = KINDS.find(([name]) => name === kind)?.[2] ?? (() => true);
  const matching = moments.filter(passes).reverse();
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
          {matching.slice(0, shown).map((moment, at) => (
            <Line
              key={`${moment.at} ${moment.kind} ${moment.what}`}
              moment={moment}
              day={dayAfter(matching[at - 1], moment)}
            />
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
function dayAfter(newer: Moment | undefined, moment: Moment): string {
  const day = dayOf(moment.at);
  return newer && dayOf(newer.at) === day ? '' : day;
}

function Line({ moment, day }: { moment: Moment; day: string }) {
  return (
    <li>
      {day ? <h3 className="day">{day}</h3> : null}
      <div className={failed(moment) ? 'happening failed' : 'happening'}>
        <Icon icon={iconOf(moment)} />
        <div className="entry-words">
          <p className="entry-name">{wordsOfMoment(moment)}</p>
          <p className="entry-line">{moment.detail.replace(/^by self(, )?/, '')}</p>
        </div>
        <time className="entry-clock" dateTime={moment.at} title={exactly(moment.at)}>
          {clockOf(moment.at)}
        </time>
      </div>
    </li>
  );
}
