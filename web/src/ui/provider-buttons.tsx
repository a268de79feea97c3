import { type FormEvent, useCallback, useState } from 'react';
import { choose, Each, When } from '../lib/template';
import { useStay } from '../lib/use-restored-page';
import { Button } from './button';
import { HiddenField } from './hidden-field';
import { Actions, Divider } from './layout';
import styles from './provider-buttons.module.css';
import { ProviderIcon } from './provider-icon';

interface ProviderButtonsProps {
  providers: readonly { id: string; name: string; icon: string; picture: string; last: string }[];
  divider: string;
  label: (provider: string) => string;
  /** The words at the provider that signed in this browser last. */
  lastUsed: string;
  hidden: Hidden;
}

interface Hidden {
  return_to: string;
  flow: string;
  again: string;
  /** The invitation that the page was opened with. */
  link?: string;
}

const startOf = (provider: string) => `/auth/provider/${provider}/start`;

/**
 * The sign-in through external providers. It is a native form, so that it works without
 * script and the browser may leave for the provider. A second press during the first
 * would start a second flow, so it is ignored.
 */
export function ProviderButtons({ providers, divider, label, lastUsed, hidden }: ProviderButtonsProps) {
  const [leaving, setLeaving] = useState('');

  useStay(useCallback(() => setLeaving(''), []));

  const leave = (event: FormEvent) => {
    if (leaving) return event.preventDefault();
    setLeaving((event.nativeEvent as SubmitEvent).submitter?.getAttribute('formaction') ?? '');
  };

  return (
    <When value={providers}>
      <Divider>{divider}</Divider>
      <form method="post" onSubmit={leave}>
        <HiddenField<Hidden> name="return_to" value={hidden.return_to} />
        <HiddenField<Hidden> name="flow" value={hidden.flow} />
        <HiddenField<Hidden> name="again" value={hidden.again} />
        <HiddenField<Hidden> name="link" value={hidden.link ?? ''} />
        <Actions>
          <Each of={providers}>
            {(provider) => (
              <Button
                look="secondary"
                formAction={startOf(provider.id)}
                busy={leaving !== '' && leaving === startOf(provider.id)}
                aria-describedby={choose(provider.last, 'last-used', '')}
                served={
                  import.meta.env.SSR ? (
                    <ProviderIcon icon={provider.icon} picture={provider.picture} />
                  ) : null
                }
              >
                {label(provider.name)}
                <When value={provider.last}>
                  <span className={styles.last} id="last-used" aria-hidden="true">
                    {lastUsed}
                  </span>
                </When>
              </Button>
            )}
          </Each>
        </Actions>
      </form>
    </When>
  );
}
