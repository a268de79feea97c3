import type { Boot } from '../../api/schema.gen';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import { Lead } from '../../ui/lead';
import { Success } from '../../ui/success';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import { Sections } from './sections';
import { Sessions } from './sessions';

/** The account that is signed in, its other sessions, and the sign-out. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useForm({ boot, path: '/auth/api/signout' });
  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      summary={form.summary}
      announcement={form.announcement}
    >
      <Success words={boot.success} />
      <Lead>{t('account.signed_in_as', { email: boot.session.email })}</Lead>
      <Sections policy={boot.policy} />
      <Sessions />
      <form {...form.props} action="/auth/signout">
        <Button look="secondary" busy={form.busy} wait={form.wait}>
          {t('account.signout')}
        </Button>
      </form>
    </Frame>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account.title'), View };
