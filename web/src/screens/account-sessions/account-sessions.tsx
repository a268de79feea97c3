import type { Boot, OwnSession } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import type { Screen } from '../screen';

const PATH = '/auth/account/sessions';

/** The devices that are signed in, each other one with a button that signs it out. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  return (
    <OwnPage boot={boot} at="sessions" title={screen.title(boot, text)}>
      <Lead>{t('account-sessions.lead')}</Lead>
      <ul className={styles.list}>
        <Each of={boot.account.sessions}>{(session) => <Entry boot={boot} session={session} />}</Each>
      </ul>
      <When value={boot.account.others}>
        <div className={styles.all}>
          <Press boot={boot} action={PATH}>
            {t('account-sessions.end_others')}
          </Press>
        </div>
      </When>
    </OwnPage>
  );
}

function Entry({ boot, session }: { boot: Boot; session: OwnSession }) {
  const { t } = useText();
  const end = (
    <>
      <p className={styles.detail}>{t('account-sessions.last_seen', { time: session.seen })}</p>
      <Press
        boot={boot}
        action={PATH}
        entry={['id', session.id]}
        label={t('account-sessions.end_named', { device: session.name })}
      >
        {t('account-sessions.end')}
      </Press>
    </>
  );
  return (
    <li className={styles.entry}>
      <p className={styles.name}>{session.name}</p>
      <p className={styles.detail}>{t('account-sessions.since', { time: session.since })}</p>
      <When value={session.place}>
        <p className={styles.detail}>{session.place}</p>
      </When>
      <When value={session.here} otherwise={end}>
        <p className={styles.here}>{t('account-sessions.this_device')}</p>
      </When>
    </li>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-sessions.title'), View };
