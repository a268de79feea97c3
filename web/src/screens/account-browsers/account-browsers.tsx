import type { Boot, TrustedBrowser } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import type { Screen } from '../screen';

const PATH = '/auth/account/browsers';

/** The browsers in which the account is not asked for a code, each with a button that ends it. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { browsers } = boot.account;
  return (
    <OwnPage boot={boot} at="browsers" title={screen.title(boot, text)}>
      <When value={browsers} otherwise={<Lead>{t('account-browsers.none')}</Lead>}>
        <Lead>{t('account-browsers.lead')}</Lead>
        <ul className={styles.list}>
          <Each of={browsers}>{(browser) => <Entry boot={boot} browser={browser} />}</Each>
        </ul>
        <div className={styles.all}>
          <Press boot={boot} action={PATH}>
            {t('account-browsers.end_all')}
          </Press>
        </div>
      </When>
    </OwnPage>
  );
}

function Entry({ boot, browser }: { boot: Boot; browser: TrustedBrowser }) {
  const { t } = useText();
  return (
    <li className={styles.row}>
      <div>
        <p className={styles.name}>{browser.name}</p>
        <When value={browser.here}>
          <p className={styles.here}>{t('account-browsers.this')}</p>
        </When>
        <p className={styles.detail}>{t('account-browsers.since', { time: browser.since })}</p>
        <p className={styles.detail}>{t('account-browsers.used', { time: browser.used })}</p>
        <p className={styles.detail}>{t('account-browsers.until', { time: browser.until })}</p>
      </div>
      <Press
        boot={boot}
        action={PATH}
        entry={['id', browser.id]}
        label={t('account-browsers.end_named', { browser: browser.name })}
      >
        {t('account-browsers.end')}
      </Press>
    </li>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-browsers.title'), View };
