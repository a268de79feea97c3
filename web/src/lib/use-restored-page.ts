import { useEffect } from 'react';

/** Runs when Back shows this page as it was left, with its button still busy. */
export function useRestoredPage(onRestored: () => void): void {
  useEffect(() => {
    const restored = (event: PageTransitionEvent) => event.persisted && onRestored();
    addEventListener('pageshow', restored);
    return () => removeEventListener('pageshow', restored);
  }, [onRestored]);
}

/** Runs when a page with a busy button stays: Back shows it, or its user has stopped the way to the next page. */
export function useStay(onStay: () => void): void {
  useRestoredPage(onStay);
  useEffect(() => {
    const { navigation } = window; // older browsers have none, and do not say that a way was stopped
    navigation?.addEventListener('navigateerror', onStay);
    return () => navigation?.removeEventListener('navigateerror', onStay);
  }, [onStay]);
}
