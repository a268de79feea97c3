import type { Boot, Flow } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { Split } from '../../lib/split';
import { oneOf, queryValue, When } from '../../lib/template';
import { Whole } from '../../ui/lead';
import { More } from '../../ui/more';

/** Says where to look for an email that was sent but did not arrive. */
export function Help({ boot, flow }: { boot: Boot; flow: Flow }) {
  const { t } = useText();
  return (
    <More label={t('verify-code.help')}>
      <When value={boot.sender}>
        <p>
          <Split words={t('verify-code.sender')} at="{sender}">
            <Whole>{boot.sender}</Whole>
          </Split>
        </p>
      </When>
      <p>
        {oneOf(
          flow.kind,
          { address: t('verify-code.no_code_address'), signup: t('verify-code.no_code_signup') },
          t('verify-code.nothing_arrived'),
        )}
      </p>
      <p>
        <ChangeAddress flow={flow} />
      </p>
    </More>
  );
}

export function ChangeAddress({ flow }: { flow: Flow }) {
  const { t } = useText();
  return <a href={startOf(flow)}>{t('verify-code.change_address')}</a>;
}

/** The sign-in after the flow. The server fills in the address and the return target. */
export const signInOf = (flow: Flow) => `/auth/signin?flow=${queryValue(flow.id)}`;

/** The form that the flow began with. The server fills in what was typed there. */
export function startOf(flow: Flow): string {
  const query = `?flow=${queryValue(flow.id)}`;
  return oneOf(
    flow.kind,
    { address: '/auth/account/addresses', signup: `/auth/signup${query}`, code: `/auth/signin-code${query}` },
    `/auth/forgot-password${query}`,
  );
}
