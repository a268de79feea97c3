import { useRef } from 'react';
import type { Boot } from '../../api/schema.gen';
import { useFirstField } from '../../form/effects';
import { troubleOfBoot } from '../../form/failure';
import { PostForm } from '../../form/post-form';
import { useTrouble } from '../../form/use-trouble';
import { useText } from '../../i18n/provider';
import type { Text } from '../../i18n/text';
import { Each, oneOf, When } from '../../lib/template';
import '../../ui/bullets.css';
import { Button, ButtonLink } from '../../ui/button';
import { Answers } from '../../ui/guarded';
import { Hint, Lead } from '../../ui/lead';
import { ErrorSummary } from '../../ui/message';
import { TextField } from '../../ui/text-field';
import { Warning } from '../../ui/warning';
import { Frame } from '../frame';
import type { Screen } from '../screen';
import styles from './device.module.css';

const PATH = '/auth/device';

/** Signs the user in on a device without a browser: asks for its code, then whether to go on. */
function View({ boot }: { boot: Boot }) {
  const text = useText();
  const answered = <Answered boot={boot} />;
  return (
    <Frame boot={boot} title={screen.title(boot, text)}>
      <When value={boot.device.state} is="confirm" otherwise={answered}>
        <Confirm boot={boot} />
      </When>
    </Frame>
  );
}

function Answered({ boot }: { boot: Boot }) {
  const { t } = useText();
  return (
    <When value={boot.device.state} otherwise={<Enter boot={boot} />}>
      <Lead>{oneOf(boot.device.state, { allowed: t('device.allowed.lead') }, t('device.denied.lead'))}</Lead>
      <ButtonLink href="/auth/account">{t('device.account')}</ButtonLink>
    </When>
  );
}

function Enter({ boot }: { boot: Boot }) {
  const { t } = useText();
  const form = useRef<HTMLFormElement>(null);
  const { summary, trouble } = useTrouble(troubleOfBoot(boot), form);
  useFirstField(form, ''); // the lead only says what the field is for
  return (
    <>
      <ErrorSummary {...summary} />
      <Lead>{t('device.lead', { email: boot.session.email })}</Lead>
      <PostForm action={PATH} ref={form}>
        {(busy) => (
          <>
            <div className={styles.code}>
              <TextField
                name="code"
                label={t('device.code')}
                error={trouble.fields.code}
                defaultValue={boot.device.code}
                placeholder="XXXX-XXXX"
                autoComplete="off"
                autoCapitalize="characters"
                autoCorrect="off"
                spellCheck={false}
                required
              />
            </div>
            <Button busy={busy}>{t('device.submit')}</Button>
          </>
        )}
      </PostForm>
      <Hint>{t('device.hint')}</Hint>
    </>
  );
}

function Confirm({ boot }: { boot: Boot }) {
  const { t } = useText();
  const { client, device, session } = boot;
  return (
    <>
      <Lead>{t('device.confirm.lead', { app: client.name, code: device.code, email: session.email })}</Lead>
      <ul className="bullets">
        <Each of={client.scopes}>{(scope) => <li>{scope.text}</li>}</Each>
      </ul>
      <Warning>{t('device.confirm.warning')}</Warning>
      <PostForm action={PATH}>
        {(busy) => (
          <>
            <input type="hidden" name="account" value={session.id} />
            <input type="hidden" name="code" value={device.code} />
            <Answers allow={t('device.confirm.submit')} deny={t('device.confirm.deny')} busy={busy} />
          </>
        )}
      </PostForm>
    </>
  );
}

function title({ client, device }: Boot, { t }: Text): string {
  const app = { app: client.name };
  const over = oneOf(device.state, { denied: t('device.denied.title') }, t('device.title'));
  const done = oneOf(device.state, { allowed: t('device.allowed.title', app) }, over);
  return oneOf(device.state, { confirm: t('device.confirm.title', app) }, done);
}

export const screen: Screen = { title, View };
