import { useCallback, useRef, useState } from 'react';
import type { Failure } from '../api/problem';
import { useText } from '../i18n/provider';
import { useStay } from '../lib/use-restored-page';
import { NO_TROUBLE, type Trouble, troubleOf } from './failure';
import { type Summary, useTrouble } from './use-trouble';

/** A button whose work may fail, and the ErrorSummary beside it. */
interface Press<Word> {
  busy: boolean;
  setBusy: (busy: boolean) => void;
  /** Seconds until the button may be pressed again. Infinity while the summary counts them. */
  wait: number;
  summary: Summary;
  /** Makes the button busy and removes the error. False while it is busy or waits. */
  begin: () => boolean;
  /** Shows why the work failed: an answer of the server, or a word for what the browser did. */
  fail: (why: Failure | Word) => void;
}

/** The state of such a button. `onTrouble` returns true when the screen shows the trouble itself. */
export function usePress<Word extends string>(
  wordsOf: (word: Word) => string,
  onTrouble: (trouble: Trouble) => boolean,
): Press<Word> {
  const text = useText();
  const [busy, setBusy] = useState(false);
  const { show, wait, summary } = useTrouble(NO_TROUBLE, useRef(null));
  useStay(useCallback(() => setBusy(false), []));
  const begin = () => {
    if (busy || wait > 0) return false;
    setBusy(true);
    show(NO_TROUBLE);
    return true;
  };
  const fail = (why: Failure | Word) => {
    setBusy(false);
    const trouble = typeof why === 'string' ? { ...NO_TROUBLE, form: wordsOf(why) } : troubleOf(why, text);
    if (!onTrouble(trouble)) show(trouble);
  };
  return { busy, setBusy, wait, summary, begin, fail };
}
