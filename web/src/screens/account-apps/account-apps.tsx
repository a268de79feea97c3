import type { App, Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import { Confirm } from '../own/confirm';
import { Empty, Entries, Entry, Icon } from '../own/entry';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import type { Screen } from '../screen';
import { Timed } from '../timed';

/** The apps that know the account, each with a button that ends its access. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { apps } = boot.account;
  return (
    <OwnPage boot={boot} at="apps" title={screen.title(boot, text)}>
      <When value={apps} otherwise={<Empty>{t('account-apps.none')}</Empty>}>
        <Lead>{t('account-apps.lead')}</Lead>
        <Entries>
          <Each of={apps}>{(app) => <OneApp boot={boot} app={app} />}</Each>
        </Entries>
      </When>
    </OwnPage>
  );
}

function OneApp({ boot, app }: { boot: Boot; app: App }) {
  const { t } = useText();
  const remove = t('account-apps.remove_named', { app: app.name });
  return (
    <Entry
      icon={<Icon icon="app" />}
      name={app.name}
      action={
        <Confirm
          id={`remove-${app.id}`}
          press={t('account-apps.remove')}
          label={remove}
          title={remove}
          says={t('account-apps.remove_says')}
        >
          <Press boot={boot} action="/auth/account/apps" entry={['app', app.id]} last>
            {t('account-apps.remove')}
          </Press>
        </Confirm>
      }
    >
      <When value={app.scopes}>
        <span>{app.scopes}</span>
      </When>
      <Timed words={t('account-apps.since')} of={app.since} />
    </Entry>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-apps.title'), View };
