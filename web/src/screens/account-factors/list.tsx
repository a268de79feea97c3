import type { ReactNode } from 'react';
import type { AddFactor, Boot, Factor, RemoveFactor } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { choose, Each, oneOf, Unless, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Hint, Lead } from '../../ui/lead';
import { ErrorSummary, Notice } from '../../ui/message';
import { More } from '../../ui/more';
import { Changes } from '../own/changes';
import { Confirm } from '../own/confirm';
import { Entries, Entry, Icon } from '../own/entry';
import { OwnPage } from '../own/own-page';
import { Proof } from '../own/proof';
import { useOwnForm } from '../own/use-own-form';
import { Timed } from '../timed';
import styles from './factors.module.css';

const PATH = '/auth/account/factors';

/** The second factors and recovery codes of the account. */
export function List({ boot, title }: { boot: Boot; title: string }) {
  const { t } = useText();
  const { factors } = boot;
  const off = choose(boot.return_to, t('account-factors.lead_asked'), t('account-factors.lead_off'));
  const form = useOwnForm('/auth/api/factors/add', boot);
  return (
    <OwnPage boot={boot} at="factors" title={title} form={form}>
      <Lead>{choose(factors.list, t('account-factors.lead_on'), off)}</Lead>
      <When value={factors.list}>
        <Entries>
          <Each of={factors.list}>{(factor) => <App boot={boot} factor={factor} />}</Each>
        </Entries>
      </When>
      <Changes boot={boot}>
        <Unless value={factors.full}>
          <Proof asked={form.asked} path={PATH} />
          <form {...form.props} action={`${PATH}/add`}>
            <HiddenField<AddFactor> name="account" value={boot.session.id} />
            <HiddenField<AddFactor> name="return_to" value={boot.return_to} />
            <When
              value={factors.list}
              otherwise={<Button {...pressed(form)}>{t('account-factors.add')}</Button>}
            >
              <Button look="secondary" {...pressed(form)}>
                {t('account-factors.add_another')}
              </Button>
            </When>
          </form>
        </Unless>
        <When value={factors.full}>
          <Hint>{t('account-factors.full')}</Hint>
        </When>
        <When value={boot.return_to}>
          <Unless value={factors.list}>
            <Footer>
              <a href="/auth/account/passkeys">{t('account-factors.passkey')}</a>
            </Footer>
          </Unless>
        </When>
        <When value={factors.left}>
          <RecoveryCodes boot={boot} />
        </When>
      </Changes>
    </OwnPage>
  );
}

const pressed = ({ busy, wait }: { busy: boolean; wait: number }) => ({ busy, wait });

function App({ boot, factor }: { boot: Boot; factor: Factor }) {
  const { t } = useText();
  const form = useOwnForm('/auth/api/factors/remove');
  return (
    <Entry
      icon={<Icon icon="phone" />}
      name={t('account-factors.app')}
      more={
        <Changes boot={boot}>
          <More label={t('account-factors.remove')}>
            <Proof asked={form.asked} path={PATH} />
            <form {...form.props} action={`${PATH}/remove`}>
              <ErrorSummary {...form.summary} />
              <HiddenField<RemoveFactor> name="account" value={boot.session.id} />
              <HiddenField<RemoveFactor> name="id" value={factor.id} />
              <p className={styles.left}>{t('account-factors.remove_lead')}</p>
              <When value={factor.last}>
                <p className={styles.left}>{t('account-factors.remove_last')}</p>
              </When>
              <div className="final">
                <Button {...pressed(form)}>{t('account-factors.remove_submit')}</Button>
              </div>
            </form>
          </More>
        </Changes>
      }
    >
      <When value={factor.used.at}>
        <Timed words={t('account-factors.used')} of={factor.used} />
      </When>
      <Timed words={t('account-factors.added')} of={factor.added} />
    </Entry>
  );
}

function RecoveryCodes({ boot }: { boot: Boot }) {
  const { t } = useText();
  const { factors } = boot;
  const form = useOwnForm('/auth/api/factors/codes');
  const anew = t('account-factors.new_codes');
  const says = choose(
    boot.settings.trust,
    t('account-factors.new_codes_says'),
    t('account-factors.new_codes_end'),
  );
  const get = (button: ReactNode) => (
    <form {...form.props} action={`${PATH}/codes`}>
      <HiddenField<AddFactor> name="account" value={boot.session.id} />
      <HiddenField<AddFactor> name="return_to" value={boot.return_to} />
      {button}
    </form>
  );
  return (
    <section aria-labelledby="codes">
      <h2 id="codes">{t('account-factors.codes')}</h2>
      <When value={factors.few}>
        <Notice words={t('account-factors.few')} />
      </When>
      <p className={styles.left}>
        {oneOf(
          factors.left,
          { '0': t('account-factors.no_codes') },
          t('account-factors.left', { count: factors.left }),
        )}
      </p>
      <Proof asked={form.asked} path={PATH} />
      <ErrorSummary {...form.summary} />
      <When
        value={factors.left}
        is="0"
        otherwise={
          <Confirm id="new-codes" press={anew} title={anew} calm says={says}>
            {get(<Button {...pressed(form)}>{anew}</Button>)}
          </Confirm>
        }
      >
        {get(
          <Button look="secondary" {...pressed(form)}>
            {t('account-factors.get_codes')}
          </Button>,
        )}
      </When>
    </section>
  );
}
