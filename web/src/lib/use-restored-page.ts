import { useEffect } from 'react';

/** Runs when Back shows this page as it was left, with its button still busy. */
export function useRestoredPage(onRestored: () => void): void {
  useEffect(() => {
    const restored = (event: PageTransitionEvent) => event.persisted && onRestored();
    addEventListener('pageshow', restored);
    return () => removeEventListener('pageshow', restored);
  }, [onRestored]);
}
