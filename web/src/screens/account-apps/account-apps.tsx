import type { App, Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import type { Screen } from '../screen';

/** The apps that know the account, each with a button that ends its access. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { apps } = boot.account;
  return (
    <OwnPage boot={boot} at="apps" title={screen.title(boot, text)}>
      <When value={apps} otherwise={<Lead>{t('account-apps.none')}</Lead>}>
        <Lead>{t('account-apps.lead')}</Lead>
        <ul className={styles.list}>
          <Each of={apps}>{(app) => <Entry boot={boot} app={app} />}</Each>
        </ul>
      </When>
    </OwnPage>
  );
}

function Entry({ boot, app }: { boot: Boot; app: App }) {
  const { t } = useText();
  return (
    <li className={styles.row}>
      <div>
        <p className={styles.name}>{app.name}</p>
        <When value={app.scopes}>
          <p className={styles.detail}>{app.scopes}</p>
        </When>
        <p className={styles.detail}>{t('account-apps.since', { time: app.since })}</p>
      </div>
      <Press
        boot={boot}
        action="/auth/account/apps"
        entry={['app', app.id]}
        label={t('account-apps.remove_named', { app: app.name })}
      >
        {t('account-apps.remove')}
      </Press>
    </li>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-apps.title'), View };
