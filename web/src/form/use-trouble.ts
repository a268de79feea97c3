import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import { useText } from '../i18n/provider';
import type { Text } from '../i18n/text';
import { useCountdown } from '../lib/use-countdown';
import { useFocusOnTrouble } from './effects';
import type { Trouble } from './failure';

/** Props of the ErrorSummary. */
export interface Summary {
  words: string;
  /** The same words with the seconds that are left. */
  counted: string;
  requestId: { id: string; words: string };
  ref: RefObject<HTMLDivElement | null>;
}

/** A trouble that counts its wait down, and its summary. A new one takes the focus. */
export function useTrouble(first: Trouble, form: RefObject<HTMLFormElement | null>) {
  const text = useText();
  const ref = useRef<HTMLDivElement>(null);
  // The errors of the last response, and those left after the user has edited fields.
  const [found, setFound] = useState(first);
  const [trouble, setTrouble] = useState(found);
  const [announcement, setAnnouncement] = useState('');

  const onWaited = useCallback(() => {
    const over = text.t('common.wait_over');
    if (found.form) setTrouble((old) => ({ ...old, form: over }));
    else setAnnouncement(over);
  }, [text, found]);
  const asked = useMemo(() => ({ seconds: found.retryAfter }), [found]);
  const left = useCountdown(asked, onWaited);
  const counted = left > 0 && trouble.form ? countedWords(trouble, left, text) : '';
  useFocusOnTrouble(found, form, ref);

  const show = (next: Trouble) => {
    setFound(next);
    setTrouble(next);
  };
  const requestId = { id: trouble.requestId, words: text.t('common.request_id', { id: trouble.requestId }) };
  const summary: Summary = { words: trouble.form, counted, requestId, ref };
  const wait = counted ? Number.POSITIVE_INFINITY : left;
  return { trouble, setTrouble, show, wait, announcement, setAnnouncement, summary };
}

/** The words of a fault with the seconds that are left, or "" for words without a time. */
function countedWords({ code, params }: Trouble, left: number, text: Text): string {
  if (!text.fault(code, params)?.includes('{wait}')) return '';
  return text.fault(code, params, left) ?? '';
}
