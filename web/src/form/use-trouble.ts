import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import type { Boot } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import type { Text } from '../i18n/text';
import { useCountdown } from '../lib/use-countdown';
import { useFocusOnTrouble } from './effects';
import { NO_TROUBLE, type Trouble, troubleOfBoot } from './failure';

/**
 * The errors of a form, first those that the server has found: they take the focus, and words with a
 * time count it down. `summary` has props of the ErrorSummary.
 */
export function useTrouble(boot: Boot | undefined, form: RefObject<HTMLFormElement | null>) {
  const text = useText();
  const ref = useRef<HTMLDivElement>(null);
  // The errors of the last response, and those left after the user has edited fields.
  const [found, setFound] = useState(() => (boot ? troubleOfBoot(boot) : NO_TROUBLE));
  const [trouble, setTrouble] = useState(found);
  const [announcement, setAnnouncement] = useState('');

  const onWaited = useCallback(() => {
    const over = text.t('common.wait_over');
    if (found.form) setTrouble((old) => ({ ...old, form: over }));
    else setAnnouncement(over);
  }, [text, found]);
  const asked = useMemo(() => ({ seconds: found.retryAfter }), [found]);
  const left = useCountdown(asked, onWaited);
  useFocusOnTrouble(found, form, ref);

  const show = (next: Trouble) => {
    setFound(next);
    setTrouble(next);
  };
  const id = trouble.requestId;
  return {
    trouble,
    setTrouble,
    show,
    left,
    announcement,
    setAnnouncement,
    summary: {
      words: trouble.form,
      /** The same words with the seconds that are left. */
      counted: left > 0 && trouble.form ? countedWords(trouble, left, text) : '',
      requestId: { id, words: text.t('common.request_id', { id }) },
      ref,
    },
  };
}

/** The words of a fault with the seconds that are left, or "" for words without a time. */
function countedWords({ code, params }: Trouble, left: number, text: Text): string {
  if (!text.fault(code, params)?.includes('{wait}')) return '';
  return text.fault(code, params, left) ?? '';
}
