import type { Boot, NotMe } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { oneOf, When } from '../../lib/template';
import '../../ui/bullets.css';
import { Button, ButtonLink } from '../../ui/button';
import { Guarded } from '../../ui/guarded';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { Frame } from '../frame';
import type { Screen } from '../screen';

const PATH = '/auth/not-me';

/** Opening the mailed link changes nothing. The button on this screen takes the account back. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const form = useForm({ boot, path: '/auth/api/not-me', onTrouble: reloadWhenOver });
  return (
    <Frame boot={boot} title={screen.title(boot, text)} form={form}>
      <When value={boot.link.state} is="ready" otherwise={<Over boot={boot} />}>
        <Lead>{t('not-me.lead')}</Lead>
        <ul className="bullets">
          <li>{t('not-me.sessions')}</li>
          <li>{t('not-me.added')}</li>
          <li>{t('not-me.address', { address: boot.link.address })}</li>
          <li>{t('not-me.closed')}</li>
        </ul>
        <form {...form.props} action={PATH}>
          <HiddenField<NotMe> name="link" value={boot.link.mark} />
          <Guarded>
            <Button busy={form.busy} wait={form.wait}>
              {t('not-me.submit')}
            </Button>
          </Guarded>
        </form>
      </When>
    </Frame>
  );
}

/** The link does nothing anymore. A new password helps in both cases. */
function Over({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <>
      <Lead>{oneOf(boot.link.state, { used: t('not-me.used.lead') }, t('not-me.expired.lead'))}</Lead>
      <ButtonLink href="/auth/forgot-password">{t('not-me.reset')}</ButtonLink>
      <Footer>
        <a href="/auth/signin">{t('common.back_to_signin')}</a>
      </Footer>
    </>
  );
}

function title({ link }: Boot, { t }: Text): string {
  const over = oneOf(link.state, { used: t('not-me.used.title') }, t('not-me.expired.title'));
  return oneOf(link.state, { ready: t('not-me.title') }, over);
}

export const screen: Screen = { title, View };
