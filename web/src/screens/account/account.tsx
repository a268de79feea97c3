import type { Boot } from '../../api/schema.gen';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { Served } from '../../lib/served';
import { Button } from '../../ui/button';
import { Success } from '../../ui/success';
import { BackToApp } from '../own/back';
import { OwnFrame } from '../own/own-frame';
import type { Screen } from '../screen';
import './overview.css';
import { Sections } from './sections';

/** The account that is signed in, its sections, and the sign-out. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useForm({ boot, path: '/auth/api/signout' });
  return (
    <OwnFrame
      boot={boot}
      at=""
      above={<Served className="back">{import.meta.env.SSR ? <BackToApp boot={boot} /> : null}</Served>}
      title={screen.title(boot, text)}
      form={form}
    >
      <Success words={boot.success} />
      <Served className="overview">{import.meta.env.SSR ? <Sections boot={boot} /> : null}</Served>
      <form {...form.props} action="/auth/signout" className="leave">
        <Button look="secondary" busy={form.busy} wait={form.wait}>
          {t('account.signout')}
        </Button>
      </form>
    </OwnFrame>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account.title'), View };
