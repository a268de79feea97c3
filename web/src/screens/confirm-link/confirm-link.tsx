import type { Boot } from '../../api/boot';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { choose, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { Footer, Lead, UsernameField } from '../../ui/layout';
import { PasswordField } from '../../ui/password-field';
import { Frame } from '../frame';
import { passwordLabels } from '../password-labels';
import { reloadWhenOver } from '../reload-when-over';
import type { Screen } from '../screen';
import { SignedInOther } from '../signed-in';
import { type Form, useForm } from '../use-form';
import { addressOf, codeOf, DEAD, DeadEnd } from './dead-end';

/** Opening the mailed link changes nothing; the button on this screen does. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const form = useForm({ boot, path: '/auth/api/confirm-link', onTrouble: reloadWhenOver });

  return (
    <Frame
      boot={boot}
      title={screen.title(boot, text)}
      summary={form.summary}
      announcement={form.announcement}
    >
      {DEAD.map((state) => (
        <When key={state} value={boot.link.state} is={state}>
          <DeadEnd boot={boot} state={state} />
        </When>
      ))}
      {(['ready', 'password'] as const).map((state) => (
        <When key={state} value={boot.link.state} is={state}>
          <Confirm boot={boot} form={form} state={state} />
        </When>
      ))}
      <When value={boot.link.state} is="malformed" otherwise={<CodeInstead boot={boot} />}>
        {null}
      </When>
    </Frame>
  );
}

/** The code of the same mail, in the browser that asked for it. */
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

/** The press that counts; in a browser that did not choose the password, with the password. */
function Confirm({ boot, form, state }: { boot: Boot; form: Form; state: 'ready' | 'password' }) {
  const { t } = useText();
  const { kind } = boot.link;
  const address = addressOf(boot, t);
  return (
    <form {...form.props}>
      <SignedInOther boot={boot} address={address} />
      <Lead>
        {choose(
          kind,
          t('confirm-link.recovery.lead', { address }),
          t('confirm-link.signup.lead', { address }),
          'recovery',
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
      <Button busy={form.busy} wait={form.wait}>
        {choose(kind, t('common.continue'), t('confirm-link.submit'), 'recovery')}
      </Button>
    </form>
  );
}

function title({ link }: Boot, { t }: Text): string {
  const ready = choose(
    link.kind,
    t('confirm-link.recovery.title'),
    t('confirm-link.signup.title'),
    'recovery',
  );
  return DEAD.reduce(
    (otherwise, state) => choose(link.state, t(`confirm-link.${state}.title`), otherwise, state),
    ready,
  );
}

export const screen: Screen = { title, View };
