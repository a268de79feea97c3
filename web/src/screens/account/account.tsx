import { useCallback } from 'react';
import type { Boot } from '../../api/schema.gen';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { useReturn } from '../../lib/use-return';
import { Button } from '../../ui/button';
import { Lead } from '../../ui/lead';
import { Success } from '../../ui/success';
import { Frame } from '../frame';
import { Portrait } from '../own/portrait';
import { stillHere } from '../recheck';
import type { Screen } from '../screen';
import styles from './account.module.css';
import { Sections } from './sections';

/** The account that is signed in, its sections, and the sign-out. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useForm({ boot, path: '/auth/api/signout' });
  useReturn(
    // after a sign-out in another tab this one must not show the account any longer
    useCallback(
      async () => void ((await stillHere(boot.session.id)) || location.reload()),
      [boot.session.id],
    ),
  );
  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      summary={form.summary}
      announcement={form.announcement}
    >
      <Success words={boot.success} />
      <div className={styles.who}>
        <Portrait boot={boot} />
        <Lead>{t('account.signed_in_as', { email: boot.session.email })}</Lead>
      </div>
      <Sections settings={boot.settings} states={boot.account.states} />
      <form {...form.props} action="/auth/signout">
        <Button look="secondary" busy={form.busy} wait={form.wait}>
          {t('account.signout')}
        </Button>
      </form>
    </Frame>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account.title'), View };
