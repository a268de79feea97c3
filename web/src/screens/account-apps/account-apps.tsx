import type { App, Boot } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
import type { Screen } from '../screen';

/** The apps that know the account, each with a button that ends its access. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { apps } = boot.account;
  return (
    <OwnPage boot={boot} title={screen.title(boot, text)}>
      <When value={apps} otherwise={<Lead>{t('account-apps.none')}</Lead>}>
        <Lead>{t('account-apps.lead')}</Lead>
        <ul className={styles.list}>
          <Each of={apps}>{(app) => <Entry app={app} />}</Each>
        </ul>
      </When>
    </OwnPage>
  );
}

function Entry({ app }: { app: App }) {
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
      <PostForm action="/auth/account/apps">
        {(busy) => (
          <>
            <input type="hidden" name="account" value={app.account} />
            <input type="hidden" name="app" value={app.id} />
            <Button look="quiet" busy={busy} aria-label={t('account-apps.remove_named', { app: app.name })}>
              {t('account-apps.remove')}
            </Button>
          </>
        )}
      </PostForm>
    </li>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-apps.title'), View };
