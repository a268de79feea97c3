import type { Boot } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import '../../ui/bullets.css';
import { Answers } from '../../ui/guarded';
import { Hint, Lead, Whole } from '../../ui/lead';
import { Notice } from '../../ui/message';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import styles from './consent.module.css';

/** Asks whether an app may learn who the user is, and what else. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { account, client, session } = boot;
  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      above={
        <span className={`${styles.letters} ${styles.app}`} aria-hidden="true">
          {client.mark}
        </span>
      }
    >
      <div className={styles.account}>
        <span className={styles.letters} aria-hidden="true">
          {account.initials}
        </span>
        <div className={styles.who}>
          <When value={session.name}>
            <strong>{session.name}</strong>
          </When>
          <Whole>{session.email}</Whole>
          <When value={boot.next}>
            <a href={boot.next}>{boot.next_label}</a>
          </When>
        </div>
      </div>
      <Lead>{t('consent.lead', { app: client.name, host: client.host, email: session.email })}</Lead>
      <ul className="bullets">
        <Each of={client.scopes}>{(scope) => <li>{scope.text}</li>}</Each>
      </ul>
      <When value={client.unknown}>
        <Notice words={t('consent.unknown', { host: client.unknown })} />
      </When>
      <PostForm action="/auth/openid/consent">
        {(busy) => (
          <>
            <input type="hidden" name="account" value={session.id} />
            <input type="hidden" name="request" value={client.request} />
            <input type="hidden" name="scopes" value={client.asked} />
            <Answers allow={t('consent.submit')} deny={t('consent.deny')} busy={busy} />
          </>
        )}
      </PostForm>
      <Hint>{t('consent.hint')}</Hint>
    </Frame>
  );
}

export const screen: Screen = {
  title: ({ client }, { t }) => t('consent.title', { app: client.name }),
  View,
};
