import { useEffect } from 'react';
import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { signalAccepted } from '../../passkey/signal';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { Changes } from '../own/changes';
import { Empty, Entries } from '../own/entry';
import { OwnPage } from '../own/own-page';
import { Proof, useAsked } from '../own/proof';
import { useUserSignal } from '../own/use-signals';
import type { Screen } from '../screen';
import { Add } from './add';
import { OnePasskey } from './entry';

/** What is wrong with the form of a passkey that was sent without script. It is above all of them, and so in sight. */
function Answer({ boot }: { boot: Boot }) {
  const { asked } = useAsked(boot.again);
  return (
    <>
      <Proof asked={asked} path="/auth/account/passkeys" />
      <When value={boot.errors.fields.name}>
        <ErrorSummary words={boot.errors.fields.name} />
      </When>
    </>
  );
}

/** The passkeys of the account. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  useUserSignal(boot);
  useEffect(() => {
    const here = boot.passkeys.list.filter(({ other }) => !other);
    void signalAccepted(
      boot.passkeys,
      here.map(({ credential }) => credential),
    );
  }, [boot.passkeys]);
  return (
    <OwnPage boot={boot} at="passkeys" title={screen.title(boot, text)}>
      <Changes boot={boot}>
        <Answer boot={boot} />
      </Changes>
      <Lead>{t('account-passkeys.lead')}</Lead>
      <When value={boot.passkeys.list} otherwise={<Empty>{t('account-passkeys.none')}</Empty>}>
        <Entries>
          <Each of={boot.passkeys.list}>{(passkey) => <OnePasskey boot={boot} passkey={passkey} />}</Each>
        </Entries>
      </When>
      <Changes boot={boot}>
        <Add boot={boot} />
        <When value={boot.passkeys.alone}>
          <Footer>
            {t('account-passkeys.alone')}{' '}
            <a href="/auth/account/factors">{t('account-passkeys.get_codes')}</a>
          </Footer>
        </When>
      </Changes>
    </OwnPage>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-passkeys.title'), View };
