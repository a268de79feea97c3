import type { Boot, RefusePasskeys } from '../../api/schema.gen';
import type { Trouble } from '../../form/failure';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { choose, queryValue, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import { Create } from './create';

/** Offers a passkey after a sign-in with a password, or asks for the one of a new account. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <Lead>
        {choose(
          boot.flow.id,
          t('new-passkey.signup.lead', { address: boot.flow.email }),
          t('new-passkey.lead'),
        )}
      </Lead>
      <Create boot={boot} />
      <When value={boot.flow.id} otherwise={<Refuse boot={boot} />}>
        <Footer>
          <a href={`/auth/reset-password?flow=${queryValue(boot.flow.id)}`}>{t('new-passkey.password')}</a>
        </Footer>
      </When>
    </Frame>
  );
}

/** Ends the offer for good. */
function Refuse({ boot }: { boot: Boot }) {
  const { t } = useText();
  const form = useForm({ path: '/auth/api/account/passkeys/refuse', onTrouble: reloadForAnother });
  return (
    <form {...form.props} action="/auth/account/passkeys/offer">
      <ErrorSummary {...form.summary} />
      <HiddenField<RefusePasskeys> name="account" value={boot.session.id} />
      <HiddenField<RefusePasskeys> name="return_to" value={boot.return_to} />
      <Footer>
        <Button look="quiet" busy={form.busy} wait={form.wait}>
          {t('new-passkey.refuse')}
        </Button>
      </Footer>
    </form>
  );
}

/** The user has signed out or has changed: the reload leads on. */
function reloadForAnother({ code }: Trouble): boolean {
  const over = /^(account\.changed|session\.)/.test(code);
  if (over) location.reload();
  return over;
}

export const screen: Screen = {
  title: ({ flow }, { t }) => choose(flow.id, t('new-passkey.signup.title'), t('new-passkey.title')),
  View,
};
