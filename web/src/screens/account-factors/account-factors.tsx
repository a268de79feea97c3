import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { oneOf, When } from '../../lib/template';
import type { Screen } from '../screen';
import { Codes } from './codes';
import { List } from './list';
import { Setup } from './setup';

/** The second factors of the signed-in user, or a step of adding one. */
function View({ boot }: { boot: Boot }) {
  const title = titleOf(boot, useText());
  const rest = (
    <When value={boot.factors.state} is="codes" otherwise={<List boot={boot} title={title} />}>
      <Codes boot={boot} title={title} />
    </When>
  );
  return (
    <When value={boot.factors.state} is="app" otherwise={rest}>
      <Setup boot={boot} title={title} />
    </When>
  );
}

const titleOf = ({ factors }: Boot, { t }: Text) =>
  oneOf(
    factors.state,
    { app: t('account-factors.setup.title'), codes: t('account-factors.saved.title') },
    t('account-factors.title'),
  );

export const screen: Screen = { title: titleOf, View };
