import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { choose, When } from '../../lib/template';
import { ButtonLink } from '../../ui/button';
import { Footer } from '../../ui/layout';
import { Hint, Lead } from '../../ui/lead';
import { Frame } from '../frame';
import type { Screen } from '../screen';

/** Says what has happened, with one next step. The server supplies the words, since any page can fail. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  const id = boot.errors.request_id;
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <When value={boot.detail}>
        <Lead>{boot.detail}</Lead>
      </When>
      <ButtonLink href={choose(boot.next, boot.next, '/auth/signin')}>
        {choose(boot.next_label, boot.next_label, t('common.to_signin'))}
      </ButtonLink>
      <When value={boot.back}>
        <Footer>
          <a href={boot.back}>{boot.back_label}</a>
        </Footer>
      </When>
      <When value={boot.errors.code} is="signup.taken">
        <Footer>
          <a href="/auth/forgot-password">{t('common.forgot')}</a>
        </Footer>
      </When>
      <When value={id}>
        <Hint>{t('common.request_id', { id })}</Hint>
      </When>
    </Frame>
  );
}

export const screen: Screen = {
  title: ({ title }, { t }) => choose(title, title, t('common.error_title')),
  View,
};
