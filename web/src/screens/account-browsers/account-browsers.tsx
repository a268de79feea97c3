import type { Boot, TrustedBrowser } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Lead } from '../../ui/lead';
import { Confirm } from '../own/confirm';
import { Badge, Empty, Entries, Entry, Icon } from '../own/entry';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import type { Screen } from '../screen';
import { Timed } from '../timed';

const PATH = '/auth/account/browsers';

/** The browsers in which the account is not asked for a code, each with a button that ends it. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { browsers } = boot.account;
  const all = t('account-browsers.end_all');
  return (
    <OwnPage boot={boot} at="browsers" title={screen.title(boot, text)}>
      <When value={browsers} otherwise={<Empty>{t('account-browsers.none')}</Empty>}>
        <Lead>{t('account-browsers.lead')}</Lead>
        <Entries>
          <Each of={browsers}>{(browser) => <Browser boot={boot} browser={browser} />}</Each>
        </Entries>
        <Confirm id="all" press={all} title={all} says={t('account-browsers.end_says')}>
          <Press boot={boot} action={PATH} last>
            {t('account-browsers.end')}
          </Press>
        </Confirm>
      </When>
    </OwnPage>
  );
}

function Browser({ boot, browser }: { boot: Boot; browser: TrustedBrowser }) {
  const { t } = useText();
  return (
    <Entry
      icon={<Icon icon="window" />}
      name={browser.name}
      badge={
        <When value={browser.here}>
          <Badge>{t('account-browsers.this')}</Badge>
        </When>
      }
      action={
        <Press
          boot={boot}
          action={PATH}
          entry={['id', browser.id]}
          label={t('account-browsers.end_named', { browser: browser.name })}
        >
          {t('account-browsers.end')}
        </Press>
      }
    >
      <Timed words={t('account-browsers.used')} of={browser.used} />
      <Timed words={t('account-browsers.until')} of={browser.until} />
    </Entry>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-browsers.title'), View };
