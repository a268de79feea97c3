import { useState } from 'react';
import type { Boot, LinkedProvider } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { Lead } from '../../ui/lead';
import styles from '../own/entries.module.css';
import { OwnPage } from '../own/own-page';
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
    <OwnPage boot={boot} title={screen.title(boot, text)}>
      <Refused boot={boot} />
      <Proof asked={asked} path={PATH} />
      <When value={providers} otherwise={<Lead>{t('account-providers.none')}</Lead>}>
        <Lead>{t('account-providers.lead')}</Lead>
        <ul className={styles.list}>
          <Each of={providers}>{(provider) => <Entry provider={provider} />}</Each>
        </ul>
      </When>
    </OwnPage>
  );
}

function Entry({ provider }: { provider: LinkedProvider }) {
  const { t } = useText();
  const named = { provider: provider.name };
  const connect = (
    <>
      <div>
        <p className={styles.name}>{provider.name}</p>
        <p className={styles.detail}>{t('account-providers.off')}</p>
      </div>
      <Press
        provider={provider}
        to="connect"
        label={t('account-providers.connect_named', named)}
        words={t('account-providers.connect')}
      />
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
          provider={provider}
          to="disconnect"
          label={t('account-providers.disconnect_named', named)}
          words={t('account-providers.disconnect')}
        />
      </When>
    </li>
  );
}

function Press(props: { provider: LinkedProvider; to: string; label: string; words: string }) {
  return (
    <PostForm action={`${PATH}/${props.to}`}>
      {(busy) => (
        <>
          <input type="hidden" name="account" value={props.provider.account} />
          <input type="hidden" name="provider" value={props.provider.id} />
          <Button look="quiet" busy={busy} aria-label={props.label}>
            {props.words}
          </Button>
        </>
      )}
    </PostForm>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-providers.title'), View };
