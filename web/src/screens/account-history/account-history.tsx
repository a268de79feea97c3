import type { Boot, Event } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { choose, Each, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import { Empty, Icon } from '../own/entry';
import { OwnPage } from '../own/own-page';
import type { Screen } from '../screen';

const PATH = '/auth/account/history';

/** What happened in the account, by day. The filter is a link, so it needs no script. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { history, signins, older } = boot.account;
  const filter = (only: boolean) => (
    <>
      <a href={PATH} aria-current={!only || undefined}>
        {t('account-history.all')}
      </a>
      <a href={`${PATH}?only=signins`} aria-current={only || undefined}>
        {t('account-history.only_signins')}
      </a>
    </>
  );
  return (
    <OwnPage boot={boot} at="history" title={screen.title(boot, text)}>
      <Lead>{t('account-history.lead')}</Lead>
      <nav className="filter" aria-label={t('account-history.filter')}>
        <When value={signins} otherwise={filter(false)}>
          {filter(true)}
        </When>
      </nav>
      <When value={history} otherwise={<Empty>{t('account-history.none')}</Empty>}>
        <ul className="days">
          <Each of={history}>{(event) => <Happened event={event} />}</Each>
        </ul>
      </When>
      <When value={older}>
        <p className="older">
          <a href={older}>{t('account-history.older')}</a>
        </p>
      </When>
    </OwnPage>
  );
}

function Happened({ event }: { event: Event }) {
  const { at } = event;
  const other = (
    <When value={event.signout} otherwise={<Icon icon="change" />}>
      <Icon icon="leave" />
    </When>
  );
  return (
    <li>
      <h2 className={choose(event.begins, 'day', 'day same')}>
        <time dateTime={at} data-as="day">
          {event.day}
        </time>
      </h2>
      <div className={choose(event.failed, 'entry failed', 'entry')}>
        <When
          value={event.failed}
          otherwise={
            <When value={event.signin} otherwise={other}>
              <Icon icon="enter" />
            </When>
          }
        >
          <Icon icon="alert" />
        </When>
        <div className="entry-words">
          <p className="entry-name">{event.text}</p>
          <p className="entry-line">
            <bdi>{event.where}</bdi>
          </p>
        </div>
        <time className="entry-clock" dateTime={at} data-as="clock">
          {event.time}
        </time>
      </div>
    </li>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-history.title'), View };
