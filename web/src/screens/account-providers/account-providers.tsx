import { useState } from 'react';
import type { Boot, LinkedProvider } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import { Proof, useProven } from '../own/proof';
import { Refused } from '../own/refused';
import type { Screen } from '../screen';

const PATH = '/auth/account/providers';

/** The providers of the site, each with a button that connects or disconnects it. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { providers } = boot.account;
  const [asked, setAsked] = useState(boot.again);
  useProven(() => setAsked(''));
  return (
    <OwnPage boot={boot} at="providers" title={screen.title(boot, text)}>
      <Refused boot={boot} />
      <Proof asked={asked} path={PATH} />
      <When value={providers} otherwise={<Lead>{t('account-providers.none')}</Lead>}>
        <Lead>{t('account-providers.lead')}</Lead>
        <ul className={styles.list}>
          <Each of={providers}>{(provider) => <Entry boot={boot} provider={provider} />}</Each>
        </ul>
      </When>
    </OwnPage>
  );
}

function Entry({ boot, provider }: { boot: Boot; provider: LinkedProvider }) {
  const { t } = useText();
  const named = { provider: provider.name };
  const about = { boot, entry: ['provider', provider.id] as [string, string] };
  const connect = (
    <>
      <div>
        <p className={styles.name}>{provider.name}</p>
        <p className={styles.detail}>{t('account-providers.off')}</p>
      </div>
      <Press {...about} action={`${PATH}/connect`} label={t('account-providers.connect_named', named)}>
        {t('account-providers.connect')}
      </Press>
    </>
  );
  return (
    <li className={styles.row}>
      <When value={provider.since} otherwise={connect}>
        <div>
          <p className={styles.name}>{provider.name}</p>
          <p className={styles.detail}>{t('account-providers.since', { time: provider.since })}</p>
        </div>
        <Press
          {...about}
          action={`${PATH}/disconnect`}
          label={t('account-providers.disconnect_named', named)}
        >
          {t('account-providers.disconnect')}
        </Press>
      </When>
    </li>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-providers.title'), View };
