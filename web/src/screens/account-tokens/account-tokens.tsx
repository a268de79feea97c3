import type { Boot, MakeToken, Token } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Each, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { TextField } from '../../ui/text-field';
import { Changes } from '../own/changes';
import { Confirm } from '../own/confirm';
import { Copying } from '../own/copying';
import { Empty, Entries, Entry, Icon } from '../own/entry';
import { OwnPage } from '../own/own-page';
import { Press } from '../own/press';
import { Proof } from '../own/proof';
import { SelectField } from '../own/select-field';
import { useOwnForm } from '../own/use-own-form';
import type { Screen } from '../screen';
import { Timed } from '../timed';
import styles from './tokens.module.css';

const PATH = '/auth/account/tokens';

/** The personal access tokens of the account, and the text of a new one, the only time that it is shown. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const { tokens } = boot;
  const form = useOwnForm('/auth/api/account/tokens', boot);
  return (
    <OwnPage boot={boot} at="tokens" title={screen.title(boot, text)} form={form}>
      <When value={tokens.made}>
        <section className={styles.made} aria-labelledby="made">
          <h2 id="made">{t('account-tokens.made')}</h2>
          <p className={styles.text}>
            <code>{tokens.made}</code>
          </p>
          <Copying text={() => tokens.made} refused={t('account-tokens.not_copied')} />
          <p>{t('account-tokens.send')}</p>
          <p>
            <code>Authorization: Bearer portico_pat_…</code>
          </p>
        </section>
      </When>
      <Lead>{t('account-tokens.lead')}</Lead>
      <When value={tokens.list} otherwise={<Empty>{t('account-tokens.none')}</Empty>}>
        <Entries>
          <Each of={tokens.list}>{(token) => <Held boot={boot} token={token} />}</Each>
        </Entries>
      </When>
      <Changes boot={boot}>
        <When value={tokens.apps} otherwise={<p className={styles.left}>{t('account-tokens.no_app')}</p>}>
          <h2 id="new">{t('account-tokens.new')}</h2>
          <When
            value={tokens.full}
            otherwise={
              <>
                <Proof asked={form.asked} path={PATH} typed />
                <form {...form.props} action={PATH} aria-labelledby="new">
                  <HiddenField<MakeToken> name="account" value={boot.session.id} />
                  <HiddenField<MakeToken> name="nonce" value={tokens.nonce} />
                  <TextField
                    name="name"
                    label={t('account-tokens.name')}
                    defaultValue={boot.values.name}
                    error={form.trouble.fields.name}
                    autoComplete="off"
                    required
                    data-missing="token.name"
                  />
                  <SelectField<MakeToken> name="app" label={t('account-tokens.app')} list={tokens.apps} />
                  <When value={tokens.roles}>
                    <SelectField<MakeToken>
                      name="role"
                      label={t('account-tokens.role')}
                      list={tokens.roles}
                    />
                  </When>
                  <SelectField<MakeToken> name="days" label={t('account-tokens.days')} list={tokens.lives} />
                  <Button busy={form.busy} wait={form.wait}>
                    {t('account-tokens.submit')}
                  </Button>
                </form>
              </>
            }
          >
            <p className={styles.left}>{t('account-tokens.full')}</p>
          </When>
        </When>
      </Changes>
    </OwnPage>
  );
}

function Held({ boot, token }: { boot: Boot; token: Token }) {
  const { t } = useText();
  const end = t('account-tokens.end_named', { name: token.name });
  return (
    <Entry
      icon={<Icon icon="key" />}
      name={token.name}
      action={
        <Changes boot={boot}>
          <Confirm
            id={`end-${token.id}`}
            press={t('account-tokens.end')}
            label={end}
            title={end}
            says={t('account-tokens.end_says', { app: token.app })}
          >
            <Press boot={boot} action={`${PATH}/end`} entry={['id', token.id]} last>
              {t('account-tokens.end')}
            </Press>
          </Confirm>
        </Changes>
      }
    >
      <span>{t('account-tokens.for', { app: token.app })}</span>
      <span>{token.roles}</span>
      <When value={token.used.at}>
        <Timed words={t('account-tokens.used')} of={token.used} />
      </When>
      <Timed words={t('account-tokens.until')} of={token.until} />
    </Entry>
  );
}

export const screen: Screen = { title: (_, { t }) => t('account-tokens.title'), View };
