import { useState } from 'react';
import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import { Lead } from '../../ui/lead';
import { SuccessHint } from '../../ui/success';
import { Changes } from '../own/changes';
import { OwnPage } from '../own/own-page';
import { Proof, useAsked } from '../own/proof';
import type { Screen } from '../screen';

const PATH = '/auth/account/data';

/** For so long a press asks for no second file: each one counts, and is emailed about. */
const PAUSE_MS = 5000;

/** A button whose answer is a file. The page stays, so the form is a native one. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { asked } = useAsked(boot.again);
  const [begun, setBegun] = useState(0);
  return (
    <OwnPage boot={boot} at="data" title={screen.title(boot, text)}>
      <Proof asked={asked} path={PATH} />
      <Lead>{t('account-data.lead', { brand: boot.brand.name })}</Lead>
      <Changes boot={boot}>
        <form
          method="post"
          action={PATH}
          onSubmit={(event) => {
            if (begun && event.timeStamp < begun + PAUSE_MS) event.preventDefault();
            else setBegun(event.timeStamp);
          }}
        >
          <input type="hidden" name="account" value={boot.session.id} />
          <Button>{t('account-data.submit')}</Button>
        </form>
        <div role="status">{begun ? <SuccessHint>{t('account-data.begun')}</SuccessHint> : null}</div>
      </Changes>
    </OwnPage>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-data.title'), View };
