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
    let timer: number | undefined;
    const failed = () => {
      timer = window.setTimeout(onStay);
    };
    const replaced = () => clearTimeout(timer); // a link to a part of this page does not stop a form that is on its way
    navigation?.addEventListener('navigateerror', failed);
    navigation?.addEventListener('navigate', replaced);
    return () => {
      replaced();
      navigation?.removeEventListener('navigateerror', failed);
      navigation?.removeEventListener('navigate', replaced);
    };
  }, [onStay]);
}
