import type { ComponentProps } from 'react';
import { Button } from './button';
import styles from './passkey-button.module.css';

/**
 * A button for a passkey, beside the buttons of the providers. It needs script: until it is ready, and
 * where the browser has no passkeys, it is invisible and keeps its place, so that nothing moves.
 */
export function PasskeyButton({ ready, ...button }: ComponentProps<typeof Button> & { ready: boolean }) {
  return (
    <div className={styles.place} data-ready={ready ? '' : undefined}>
      <Button
        {...button}
        look="secondary"
        served={
          import.meta.env.SSR ? (
            <svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
              <path d="M15.5 2a6.5 6.5 0 0 0-6.2 8.5L2 17.8V22h4.2v-2.5h2.5V17h2.5l2.3-2.3A6.5 6.5 0 1 0 15.5 2zm1.7 6.6a1.8 1.8 0 1 1 0-3.6 1.8 1.8 0 0 1 0 3.6z" />
            </svg>
          ) : null
        }
      />
    </div>
  );
}
