import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each } from '../../lib/template';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
import type { Screen } from '../screen';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  return (
    <OwnPage boot={boot} title={screen.title(boot, text)}>
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
    </OwnPage>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-history.title'), View };
