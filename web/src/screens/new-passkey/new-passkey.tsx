import type { Boot, RefusePasskeys } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { choose, oneOf, queryValue, When } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import { Create } from './create';

/** Offers a passkey after a sign-in with a password, or asks for the first one of an account. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <Lead>{choose(boot.flow.id, firstLead(boot, text), t('new-passkey.lead'))}</Lead>
      <Create boot={boot} />
      <When value={boot.flow.id} otherwise={<Refuse boot={boot} />}>
        <Footer>
          <a href={`/auth/reset-password?flow=${queryValue(boot.flow.id)}`}>{t('new-passkey.password')}</a>
        </Footer>
      </When>
    </Frame>
  );
}

/** The words for the first passkey. With the operator's link the account may have a password, which ends. */
function firstLead({ account, flow }: Boot, { t }: Text): string {
  const address = flow.email;
  const fresh = oneOf(
    account.password,
    { none: t('new-passkey.link.lead', { address }) },
    t('new-passkey.signup.lead', { address }),
  );
  return oneOf(account.password, { only: t('new-passkey.link.replaces', { address }) }, fresh);
}

/** Ends the offer for good. */
function Refuse({ boot }: { boot: Boot }) {
  const { t } = useText();
  const form = useForm({ path: '/auth/api/account/passkeys/refuse', onTrouble: reloadWhenOver });
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

export const screen: Screen = {
  title: ({ flow }, { t }) => choose(flow.id, t('new-passkey.signup.title'), t('new-passkey.title')),
  View,
};
