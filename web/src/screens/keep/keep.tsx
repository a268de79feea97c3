import { useEffect } from 'react';
import type { Boot, KeepAccount } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { writeLocalTimes } from '../../lib/local-times';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { Frame } from '../frame';
import { OtherWay } from '../other-way';
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
    <Frame boot={boot} title={screen.title(boot, text)} form={form}>
      <Lead>
        <Timed words={t('keep.lead', { email: boot.flow.email })} of={boot.account.erase_at} />
      </Lead>
      <form {...form.props} action={`/auth/keep?flow=${boot.flow.id}`}>
        <HiddenField<KeepAccount> name="flow" value={boot.flow.id} />
        <Button busy={form.busy} wait={form.wait}>
          {t('keep.submit')}
        </Button>
      </form>
      <OtherWay flow={boot.flow} step="keep/drop">
        {t('keep.drop')}
      </OtherWay>
    </Frame>
  );
}

export const screen: Screen = { title: (_, { t }) => t('keep.title'), View };
