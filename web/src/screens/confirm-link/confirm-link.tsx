import type { Boot, ConfirmLink } from '../../api/schema.gen';
import type { Trouble } from '../../form/failure';
import { PostForm } from '../../form/post-form';
import { postWhenEnded, reloadWhenOver, UNPROVEN } from '../../form/reload-when-over';
import { type Form, useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { oneOf, Unless, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { Guarded } from '../../ui/guarded';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Hint, Lead } from '../../ui/lead';
import { PasswordField } from '../../ui/password-field';
import { UsernameField } from '../../ui/username-field';
import { Frame } from '../frame';
import { passwordLabels } from '../password-labels';
import type { Screen } from '../screen';
import { SignedInOther } from '../signed-in-other';
import { addressOf, codeOf, DEAD, DeadEnd } from './dead-end';
import styles from './way.module.css';

/** Opening the mailed link changes nothing. The button on this screen confirms it. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const form = useForm({
    boot,
    path: '/auth/api/confirm-link',
    onTrouble: (trouble, element) => showCurrent(boot, trouble) || postWhenEnded(trouble, element),
  });

  return (
    <Frame boot={boot} title={screen.title(boot, text)} form={form}>
      {DEAD.map((state) => (
        <When key={state} value={boot.link.state} is={state}>
          <DeadEnd boot={boot} state={state} />
        </When>
      ))}
      {(['ready', 'password'] as const).map((state) => (
        <When key={state} value={boot.link.state} is={state}>
          <Confirm boot={boot} form={form} state={state} />
          {state === 'password' ? <Anew boot={boot} /> : null}
        </When>
      ))}
      <Unless value={boot.link.state} is="malformed">
        <CodeInstead boot={boot} />
      </Unless>
    </Frame>
  );
}

/**
 * Loads the page of the link that was opened later: the button would confirm that one. The
 * page of the code leads on when the change of an address needs a proof, or was given up.
 */
function showCurrent(boot: Boot, trouble: Trouble): boolean {
  if (trouble.code === 'link.changed') location.replace('/auth/confirm-link?changed');
  else if (boot.flow.id && (UNPROVEN.test(trouble.code) || trouble.code === 'flow.unknown'))
    location.replace(codeOf(boot));
  else return reloadWhenOver(trouble);
  return true;
}

/** Leads to the code of the same email, in the browser that asked for it. */
function CodeInstead({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <When value={boot.flow.id}>
      <Footer>
        <a href={codeOf(boot)}>{t('confirm-link.enter_code')}</a>
      </Footer>
    </When>
  );
}

/** The button that confirms. A browser that did not choose the password must enter it first. */
function Confirm({
  boot,
  form,
  state,
}: {
  boot: Boot;
  form: Form<ConfirmLink>;
  state: 'ready' | 'password';
}) {
  const { t } = useText();
  const { kind } = boot.link;
  const brand = boot.brand.name;
  const address = addressOf(boot, t);
  return (
    <form {...form.props} action="/auth/confirm-link">
      <HiddenField<ConfirmLink> name="link" value={boot.link.mark} />
      <SignedInOther boot={boot} address={address} />
      <Lead>
        {oneOf(
          kind,
          {
            address: t('confirm-link.address.lead', { address }),
            recovery: t('confirm-link.recovery.lead', { address }),
            handed: t('confirm-link.handed.lead', { address, brand }),
            code: t('confirm-link.code.lead', { address }),
          },
          t('confirm-link.signup.lead', { address }),
        )}
      </Lead>
      {state === 'password' ? (
        <>
          <Lead>{t('confirm-link.password.lead')}</Lead>
          <UsernameField value={boot.link.email} />
          <PasswordField
            name="password"
            label={t('common.password')}
            labels={passwordLabels(t)}
            error={form.trouble.fields.password}
            autoComplete="current-password"
            enterKeyHint="go"
          />
        </>
      ) : null}
      <Guarded>
        <Button busy={form.busy} wait={form.wait}>
          {oneOf(
            kind,
            {
              recovery: t('common.continue'),
              handed: t('common.continue'),
              code: t('confirm-link.code.submit'),
            },
            t('confirm-link.submit'),
          )}
        </Button>
      </Guarded>
    </form>
  );
}

/** Confirms without the password. Portico drops the password that was chosen in the other browser. */
function Anew({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <PostForm action="/auth/confirm-link/anew">
      {(busy) => (
        <div className={styles.way}>
          <HiddenField<ConfirmLink> name="link" value={boot.link.mark} />
          <Lead>{t('confirm-link.anew.lead')}</Lead>
          <Guarded>
            <Button look="secondary" busy={busy}>
              {t('confirm-link.anew')}
            </Button>
          </Guarded>
          <Hint>{t('confirm-link.password.code')}</Hint>
        </div>
      )}
    </PostForm>
  );
}

function title({ link }: Boot, { t }: Text): string {
  const ready = oneOf(
    link.kind,
    {
      address: t('confirm-link.address.title'),
      recovery: t('confirm-link.recovery.title'),
      handed: t('confirm-link.handed.title'),
      code: t('confirm-link.code.title'),
    },
    t('confirm-link.signup.title'),
  );
  const dead = Object.fromEntries(DEAD.map((state) => [state, t(`confirm-link.${state}.title`)]));
  return oneOf(link.state, dead, ready);
}

export const screen: Screen = { title, View };
