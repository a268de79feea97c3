import type { Boot, TrustedBrowser } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
import type { Screen } from '../screen';

const PATH = '/auth/account/browsers';

/** The browsers in which the account is not asked for a code, each with a button that ends it. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { browsers } = boot.account;
  return (
    <OwnPage boot={boot} title={screen.title(boot, text)}>
      <When value={browsers} otherwise={<Lead>{t('account-browsers.none')}</Lead>}>
        <Lead>{t('account-browsers.lead')}</Lead>
        <ul className={styles.list}>
          <Each of={browsers}>{(browser) => <Entry browser={browser} />}</Each>
        </ul>
        <div className={styles.all}>
          <PostForm action={PATH}>
            {(busy) => (
              <>
                <input type="hidden" name="account" value={boot.session.id} />
                <Button look="quiet" busy={busy}>
                  {t('account-browsers.end_all')}
                </Button>
              </>
            )}
          </PostForm>
        </div>
      </When>
    </OwnPage>
  );
}

function Entry({ browser }: { browser: TrustedBrowser }) {
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
      <PostForm action={PATH}>
        {(busy) => (
          <>
            <input type="hidden" name="account" value={browser.account} />
            <input type="hidden" name="id" value={browser.id} />
            <Button
              look="quiet"
              busy={busy}
              aria-label={t('account-browsers.end_named', { browser: browser.name })}
            >
              {t('account-browsers.end')}
            </Button>
          </>
        )}
      </PostForm>
    </li>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-browsers.title'), View };
