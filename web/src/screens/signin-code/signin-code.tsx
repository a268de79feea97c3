import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { AskAddress } from '../ask-address';
import { withReturn } from '../links';
import type { Screen } from '../screen';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  const { t } = text;
  return (
    <AskAddress
      boot={boot}
      path="/auth/api/signin-code"
      title={screen.title(boot, text)}
      lead={t('signin-code.lead')}
      submit={t('signin-code.submit')}
      footer={<a href={withReturn('/auth/signin', boot.return_to)}>{t('common.back_to_signin')}</a>}
    />
  );
}

export const screen: Screen = { title: (_, { t }) => t('signin-code.title'), View };
