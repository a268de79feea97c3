import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useRestoredPage } from './use-restored-page';

/** A button whose work may fail, and the ErrorSummary beside it. */
interface Press {
  busy: boolean;
  setBusy: (busy: boolean) => void;
  /** The failure, or ''. New words take the focus. */
  words: string;
  setWords: (words: string) => void;
  summary: RefObject<HTMLDivElement | null>;
  /** Makes the button busy and removes the words. False while it is busy. */
  begin: () => boolean;
}

/** The state of such a button. */
export function usePress(): Press {
  const summary = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useState('');
  useRestoredPage(useCallback(() => setBusy(false), []));
  useEffect(() => {
    if (words) summary.current?.focus();
  }, [words]);
  const begin = () => {
    if (busy) return false;
    setBusy(true);
    setWords('');
    return true;
  };
  return { busy, setBusy, words, setWords, summary, begin };
}
