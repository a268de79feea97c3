import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { AskAddress } from '../ask-address';
import { withReturn } from '../links';
import type { Screen } from '../screen';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  return (
    <AskAddress
      boot={boot}
      path="/auth/api/forgot-password"
      title={screen.title(boot, text)}
      lead={t('forgot-password.lead')}
      submit={t('forgot-password.submit')}
      footer={
        <When
          value={boot.session.id}
          otherwise={<a href={withReturn('/auth/signin', boot.return_to)}>{t('common.back_to_signin')}</a>}
        >
          <a href="/auth/account">{t('forgot-password.back')}</a>
        </When>
      }
    />
  );
}

export const screen: Screen = { title: (_, { t }) => t('forgot-password.title'), View };
