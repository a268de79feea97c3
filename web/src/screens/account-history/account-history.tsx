import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
import type { Screen } from '../screen';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  return (
    <OwnPage boot={boot} at="history" title={screen.title(boot, text)}>
      <Lead>{text.t('account-history.lead')}</Lead>
      <ul className={styles.list}>
        <Each of={boot.account.history}>
          {({ text, at, where }) => (
            <li className={styles.entry}>
              <p className={styles.name}>{text}</p>
              <p className={styles.detail}>{at}</p>
              <p className={styles.detail}>
                <bdi>{where}</bdi>
              </p>
            </li>
          )}
        </Each>
      </ul>
      <When value={boot.account.older}>
        <Footer>
          <a href={boot.account.older}>{text.t('account-history.older')}</a>
        </Footer>
      </When>
    </OwnPage>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-history.title'), View };
