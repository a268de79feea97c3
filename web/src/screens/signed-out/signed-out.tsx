import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { ButtonLink } from '../../ui/button';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';
import { Success } from '../../ui/success';
import { Frame } from '../frame';
import { withReturn } from '../links';
import type { Screen } from '../screen';

function View({ boot }: { boot: Boot }) {
  const text = useText();
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <Success words={boot.success} />
      <Lead>{text.t('signed-out.lead')}</Lead>
      <ButtonLink href={withReturn('/auth/signin', boot.return_to)}>{text.t('signed-out.signin')}</ButtonLink>
      <When value={boot.next}>
        <Footer>
          <a href={boot.next}>{text.t('signed-out.back')}</a>
        </Footer>
      </When>
    </Frame>
  );
}

export const screen: Screen = { title: (_, { t }) => t('signed-out.title'), View };
