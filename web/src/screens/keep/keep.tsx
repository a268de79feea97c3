import { useEffect } from 'react';
import type { Boot, KeepAccount } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { writeLocalTimes } from '../../lib/local-times';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import { Timed } from '../timed';
import { useFlowRefresh } from '../use-flow-refresh';

/** Asks the owner of a closed account, who has signed in, whether to keep it. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useForm({ boot, path: '/auth/api/keep', onTrouble: reloadWhenOver });
  useFlowRefresh(boot.flow);
  useEffect(() => writeLocalTimes(text.locale));
  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      summary={form.summary}
      announcement={form.announcement}
    >
      <Lead>
        <Timed words={t('keep.lead', { email: boot.flow.email })} of={boot.account.erase_at} />
      </Lead>
      <form {...form.props} action={`/auth/keep?flow=${boot.flow.id}`}>
        <HiddenField<KeepAccount> name="flow" value={boot.flow.id} />
        <Button busy={form.busy} wait={form.wait}>
          {t('keep.submit')}
        </Button>
      </form>
      <Drop boot={boot} />
    </Frame>
  );
}

function Drop({ boot: { flow } }: { boot: Boot }) {
  const { t } = useText();
  const form = useForm({ path: '/auth/api/keep/drop' });
  return (
    <form {...form.props} action={`/auth/keep/drop?flow=${flow.id}`}>
      <ErrorSummary {...form.summary} />
      <HiddenField<KeepAccount> name="flow" value={flow.id} />
      <Footer>
        <Button look="quiet" busy={form.busy} wait={form.wait}>
          {t('keep.drop')}
        </Button>
      </Footer>
    </form>
  );
}

export const screen: Screen = { title: (_, { t }) => t('keep.title'), View };
