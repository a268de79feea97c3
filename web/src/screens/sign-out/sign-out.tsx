import type { Boot } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { Button } from '../../ui/button';
import { Guarded } from '../../ui/guarded';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { Frame } from '../frame';

import type { Screen } from '../screen';

/** Asks whether to sign out, because an app has sent the browser here. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <Lead>{t('sign-out.lead', { email: boot.session.email })}</Lead>
      <PostForm action="/auth/openid/logout/confirm">
        {(busy) => (
          <>
            <input type="hidden" name="account" value={boot.session.id} />
            <input type="hidden" name="request" value={boot.client.request} />
            <Guarded>
              <Button busy={busy}>{t('sign-out.submit')}</Button>
            </Guarded>
          </>
        )}
      </PostForm>
      <Footer>
        <a href="/auth/account">{t('sign-out.stay')}</a>
      </Footer>
    </Frame>
  );
}

export const screen: Screen = { title: (_, { t }) => t('sign-out.title'), View };
