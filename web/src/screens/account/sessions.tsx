import { useCallback, useEffect, useRef, useState } from 'react';
import { request } from '../../api/client';
import type { Failure } from '../../api/problem';
import type { Device, Sessions as SessionsBody } from '../../api/schema.gen';
import { NO_TROUBLE, troubleOf } from '../../form/failure';
import { useText } from '../../i18n/provider';
import { useReturn } from '../../lib/use-return';
import { Button } from '../../ui/button';
import { Announcement, ErrorSummary } from '../../ui/message';
import styles from './sessions.module.css';

const PATH = '/auth/api/sessions';

/**
 * The sessions of the account, with a button to end each other one. It needs script; without
 * script the screen still shows which account is signed in.
 */
export function Sessions() {
  const text = useText();
  const { t } = text;
  const heading = useRef<HTMLHeadingElement>(null);
  const [sessions, setSessions] = useState<Device[]>();
  const [trouble, setTrouble] = useState(NO_TROUBLE);
  const [ending, setEnding] = useState('');
  const [said, setSaid] = useState('');

  const fail = useCallback(
    (failure: Failure) => {
      // The session has ended: the reload leads to the sign-in page, which says why.
      if (failure.kind === 'problem' && failure.problem.status === 401) location.reload();
      else setTrouble(troubleOf(failure, text));
    },
    [text],
  );

  const load = useCallback(async () => {
    const answer = await request<SessionsBody>('GET', PATH);
    if (!answer.ok) return fail(answer.failure);
    setTrouble(NO_TROUBLE);
    setSessions(answer.value.sessions.toSorted((a, b) => Number(b.current) - Number(a.current)));
  }, [fail]);

  useEffect(() => void load(), [load]);

  useReturn(load); // after a sign-out in another tab this one must not show the account any longer

  const end = async (id: string) => {
    if (ending) return;
    setEnding(id || 'all');
    const answer = await request('DELETE', id ? `${PATH}/${id}` : PATH);
    setEnding('');
    const gone = !answer.ok && answer.failure.kind === 'problem' && answer.failure.problem.status === 404;
    if (!answer.ok && !gone) return fail(answer.failure);
    await load();
    setSaid(t(gone ? 'account.already_ended' : 'account.ended'));
    heading.current?.focus();
  };

  const others = sessions?.filter((session) => !session.current) ?? [];
  return (
    <section className={styles.sessions} aria-labelledby="sessions">
      <h2 className={styles.heading} id="sessions" tabIndex={-1} ref={heading}>
        {t('account.sessions')}
      </h2>
      <ErrorSummary
        words={trouble.form}
        requestId={{ id: trouble.requestId, words: t('common.request_id', { id: trouble.requestId }) }}
        retry={trouble.again ? { label: t('common.try_again'), onRetry: () => void load() } : undefined}
      />
      <ul className={styles.list} aria-busy={sessions === undefined}>
        {sessions?.map((session) => (
          <Entry
            key={session.id}
            session={session}
            busy={ending === session.id}
            onEnd={() => end(session.id)}
          />
        ))}
      </ul>
      {others.length > 1 ? (
        <p className={styles.all}>
          <Button type="button" look="quiet" busy={ending === 'all'} onClick={() => end('')}>
            {t('account.end_others')}
          </Button>
        </p>
      ) : null}
      <Announcement words={said} />
    </section>
  );
}

function Entry({ session, busy, onEnd }: { session: Device; busy: boolean; onEnd: () => void }) {
  const { t, locale } = useText();
  const device = session.browser || t('account.unknown_device');
  const clock = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const at = (time: string) => clock.format(new Date(time));
  return (
    <li className={styles.entry}>
      <div>
        <p className={styles.device}>
          {device}
          {session.current ? <span className={styles.here}>{t('account.this_device')}</span> : null}
        </p>
        <p className={styles.detail}>{t('account.since', { time: at(session.created_at) })}</p>
        {session.current ? null : (
          <p className={styles.detail}>{t('account.last_seen', { time: at(session.last_seen_at) })}</p>
        )}
      </div>
      {session.current ? null : (
        <Button
          type="button"
          look="quiet"
          busy={busy}
          aria-label={t('account.end_named', { device })}
          onClick={onEnd}
        >
          {t('account.end')}
        </Button>
      )}
    </li>
  );
}
