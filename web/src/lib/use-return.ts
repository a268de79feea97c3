import { useEffect } from 'react';

/** Runs when the person comes back to this tab: what was done in another one may have changed it. */
export function useReturn(onReturn: () => void): void {
  useEffect(() => {
    const back = () => {
      if (document.visibilityState === 'visible') onReturn();
    };
    document.addEventListener('visibilitychange', back);
    addEventListener('focus', back); // of two windows side by side, both are visible
    return () => {
      document.removeEventListener('visibilitychange', back);
      removeEventListener('focus', back);
    };
  }, [onReturn]);
}
