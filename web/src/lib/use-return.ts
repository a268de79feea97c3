import { useEffect } from 'react';

/** Runs when the user comes back to this tab: an action in another tab may have changed its data. */
export function useReturn(onReturn: () => void): void {
  useEffect(() => {
    const back = () => {
      if (document.visibilityState === 'visible') onReturn();
    };
    document.addEventListener('visibilitychange', back);
    addEventListener('focus', back); // two windows side by side are both visible
    return () => {
      document.removeEventListener('visibilitychange', back);
      removeEventListener('focus', back);
    };
  }, [onReturn]);
}
