import type { Boot, ConfirmLink } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { choose, oneOf, queryValue, When } from '../../lib/template';
import { Button, ButtonLink } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Footer } from '../../ui/layout';
import { Lead } from '../../ui/lead';

/** States of a link that confirms nothing. */
export const DEAD = ['expired', 'replaced', 'used', 'malformed', 'elsewhere'] as const;
type DeadState = (typeof DEAD)[number];

/** The next step after a link that confirms nothing. */
export function DeadEnd({ boot, state }: { boot: Boot; state: DeadState }) {
  if (state === 'malformed') return <Malformed boot={boot} />;
  if (state === 'elsewhere') return <Elsewhere boot={boot} />;
  if (state === 'used') return <Used boot={boot} />;
  return (
    <When value={boot.link.address} otherwise={<Gone boot={boot} />}>
      <SendAgain boot={boot} state={state} />
    </When>
  );
}

/** Sends a new email and leads to its code. */
function SendAgain({ boot, state }: { boot: Boot; state: 'expired' | 'replaced' }) {
  const { t } = useText();
  return (
    <PostForm action="/auth/confirm-link/resend">
      {(busy) => (
        <>
          <HiddenField<ConfirmLink> name="link" value={boot.link.mark} />
          <Lead>{t(`confirm-link.${state}.lead`, { address: addressOf(boot, t), age: boot.link.age })}</Lead>
          <Button busy={busy}>{t('confirm-link.resend')}</Button>
        </>
      )}
    </PostForm>
  );
}

/** The address: in full if this browser typed it, else masked, or words if the link no longer tells it. */
export const addressOf = ({ link }: Boot, t: Text['t']) =>
  choose(link.email, link.email, choose(link.address, link.address, t('common.your_address')));

/** A link that expired so long ago that its flow no longer exists. */
function Gone({ boot }: { boot: Boot }) {
  const { t } = useText();
  const { kind } = boot.link;
  return (
    <>
      <Lead>{t('confirm-link.expired.gone')}</Lead>
      <When value={kind} otherwise={<SignInInstead />}>
        <When value={kind} is="address" otherwise={<GoneAgain boot={boot} />}>
          <ButtonLink href="/auth/account/addresses">{t('confirm-link.again.address')}</ButtonLink>
        </When>
      </When>
    </>
  );
}

function GoneAgain({ boot }: { boot: Boot }) {
  const { t } = useText();
  const { kind } = boot.link;
  const again = (
    <>
      <ButtonLink href={oneOf(kind, { recovery: '/auth/forgot-password' }, '/auth/signup')}>
        {oneOf(kind, { recovery: t('confirm-link.again.recovery') }, t('confirm-link.again.signup'))}
      </ButtonLink>
      <ToSignIn />
    </>
  );
  return (
    <When value={kind} is="code" otherwise={again}>
      <ButtonLink href="/auth/signin">{t('common.to_signin')}</ButtonLink>
    </When>
  );
}

/** A signed-in user continues. For others a recovery starts again, and a sign-up leads to the sign-in. */
function Used({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <When value={boot.next} otherwise={<UsedSignedOut boot={boot} />}>
      <Lead>{boot.detail}</Lead>
      <ButtonLink href={boot.next}>{t('common.continue')}</ButtonLink>
    </When>
  );
}

function UsedSignedOut({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <When
      value={boot.link.kind}
      is="recovery"
      otherwise={
        <>
          <Lead>
            {oneOf(
              boot.link.kind,
              { handed: t('confirm-link.used.handed'), code: t('confirm-link.used.code') },
              t('confirm-link.used.lead'),
            )}
          </Lead>
          <SignInInstead />
        </>
      }
    >
      <Lead>{t('confirm-link.used.recovery')}</Lead>
      <ButtonLink href="/auth/forgot-password">{t('confirm-link.again.recovery')}</ButtonLink>
      <ToSignIn />
    </When>
  );
}

/** A link that works only where it was asked for. */
function Elsewhere({ boot }: { boot: Boot }) {
  return (
    <>
      <Lead>{useText().t('confirm-link.elsewhere.lead')}</Lead>
      <ButtonLink look="secondary" href={boot.next}>
        {boot.next_label}
      </ButtonLink>
    </>
  );
}

/** Leads to the code of the same email, if this browser asked for it. */
function Malformed({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <When
      value={boot.flow.id}
      otherwise={
        <>
          <Lead>{t('confirm-link.malformed.elsewhere')}</Lead>
          <SignInInstead />
        </>
      }
    >
      <Lead>{t('confirm-link.malformed.lead')}</Lead>
      <ButtonLink href={codeOf(boot)}>{t('confirm-link.malformed.code')}</ButtonLink>
      <ToSignIn />
    </When>
  );
}

/** Makes the sign-in the main action: it leads to all others. */
function SignInInstead() {
  const { t } = useText();
  return (
    <>
      <ButtonLink href="/auth/signin">{t('common.to_signin')}</ButtonLink>
      <Footer>
        <a href="/auth/forgot-password">{t('common.forgot')}</a>
      </Footer>
    </>
  );
}

function ToSignIn() {
  const { t } = useText();
  return (
    <Footer>
      <a href="/auth/signin">{t('common.back_to_signin')}</a>
    </Footer>
  );
}

export const codeOf = ({ flow }: Boot) => `/auth/verify-code?flow=${queryValue(flow.id)}`;
