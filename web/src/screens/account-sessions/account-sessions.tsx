import type { Boot, OwnSession } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, Unless, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import { Confirm } from '../own/confirm';
import { Badge, Entries, Entry, Icon } from '../own/entry';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import type { Screen } from '../screen';
import { Timed } from '../timed';

const PATH = '/auth/account/sessions';

/** The devices that are signed in, each other one with a button that signs it out. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const all = t('account-sessions.end_others');
  return (
    <OwnPage boot={boot} at="sessions" title={screen.title(boot, text)}>
      <Lead>{t('account-sessions.lead')}</Lead>
      <Entries>
        <Each of={boot.account.sessions}>{(session) => <Device boot={boot} session={session} />}</Each>
      </Entries>
      <When value={boot.account.others}>
        <Confirm id="others" press={all} title={all} says={t('account-sessions.end_others_says')}>
          <Press boot={boot} action={PATH} last>
            {t('account-sessions.end')}
          </Press>
        </Confirm>
      </When>
    </OwnPage>
  );
}

function Device({ boot, session }: { boot: Boot; session: OwnSession }) {
  const { t } = useText();
  return (
    <Entry
      icon={
        <When value={session.phone} otherwise={<Icon icon="desktop" />}>
          <Icon icon="phone" />
        </When>
      }
      name={session.name}
      badge={
        <When value={session.here}>
          <Badge>{t('account-sessions.this_device')}</Badge>
        </When>
      }
      action={
        <Unless value={session.here}>
          <Press
            boot={boot}
            action={PATH}
            entry={['id', session.id]}
            label={t('account-sessions.end_named', { device: session.name })}
          >
            {t('account-sessions.end')}
          </Press>
        </Unless>
      }
    >
      <When value={session.place}>
        <span>{session.place}</span>
      </When>
      <When
        value={session.active}
        otherwise={<Timed words={t('account-sessions.last_seen')} of={session.seen} />}
      >
        <span>{t('account-sessions.active')}</span>
      </When>
      <Timed words={`${session.by}, {time}`} of={session.since} />
    </Entry>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-sessions.title'), View };
