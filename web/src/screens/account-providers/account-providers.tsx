import type { Boot, LinkedProvider } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import { Changes } from '../own/changes';
import { Confirm } from '../own/confirm';
import { Empty, Entries, Entry, Icon } from '../own/entry';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import { Proof, useAsked } from '../own/proof';
import type { Screen } from '../screen';
import { Timed } from '../timed';

const PATH = '/auth/account/providers';

/** The providers of the site, each with a button that connects or disconnects it. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { providers } = boot.account;
  const { asked } = useAsked(boot.again);
  return (
    <OwnPage boot={boot} at="providers" title={screen.title(boot, text)}>
      <Proof asked={asked} path={PATH} />
      <When value={providers} otherwise={<Empty>{t('account-providers.none')}</Empty>}>
        <Lead>{t('account-providers.lead')}</Lead>
        <Entries>
          <Each of={providers}>{(provider) => <Provider boot={boot} provider={provider} />}</Each>
        </Entries>
      </When>
    </OwnPage>
  );
}

function Provider({ boot, provider }: { boot: Boot; provider: LinkedProvider }) {
  const { t } = useText();
  const named = { provider: provider.name };
  const about = { boot, entry: ['provider', provider.id] as [string, string] };
  const connect = (
    <Press {...about} action={`${PATH}/connect`} label={t('account-providers.connect_named', named)}>
      {t('account-providers.connect')}
    </Press>
  );
  const disconnect = t('account-providers.disconnect_named', named);
  return (
    <Entry
      icon={<Icon icon="link" />}
      name={provider.name}
      action={
        <Changes boot={boot}>
          <When value={provider.since.at} otherwise={connect}>
            <Confirm
              id={`disconnect-${provider.id}`}
              press={t('account-providers.disconnect')}
              label={disconnect}
              title={disconnect}
              says={t('account-providers.disconnect_says')}
            >
              <Press {...about} action={`${PATH}/disconnect`} last>
                {t('account-providers.disconnect')}
              </Press>
            </Confirm>
          </When>
        </Changes>
      }
    >
      <When value={provider.since.at} otherwise={<span>{t('account-providers.off')}</span>}>
        <Timed words={t('account-providers.since')} of={provider.since} />
      </When>
    </Entry>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-providers.title'), View };
