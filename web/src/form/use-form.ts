import { type FormEvent, type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import { request } from '../api/client';
import { foreign } from '../api/problem';
import type { Boot, Forms } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import type { Text } from '../i18n/text';
import { go } from '../lib/fragment';
import { useCountdown } from '../lib/use-countdown';
import { useRestoredPage } from '../lib/use-restored-page';
import { checkFields } from './check-fields';
import { useFirstField, useFocusOnTrouble, useOwnValidation } from './effects';
import {
  type FieldName,
  NO_FIELDS,
  NO_TROUBLE,
  type Trouble,
  troubleOf,
  troubleOfBoot,
  withoutFault,
} from './failure';

interface FormOptions<Path extends keyof Forms> {
  /** Boot data of a form that the server handles without script. The form starts with its errors. */
  boot?: Boot;
  /** Path of the API operation that does what the form does without script. */
  path: Path;
  /** Seconds for which the form must not be sent, in addition to the wait that the server asked for. */
  hold?: number;
  /** Called instead of going to `next`. */
  onAnswer?: (answer: Forms[Path]['out']) => void;
  /** Called with each trouble. It returns true when the screen shows the trouble itself. */
  onTrouble?: (trouble: Trouble, form: HTMLFormElement) => boolean;
}

/** Props of the ErrorSummary. */
interface Summary {
  words: string;
  /** The same words with the seconds that are left. */
  counted: string;
  requestId: { id: string; words: string };
  retry: { label: string; onRetry: () => void } | undefined;
  ref: RefObject<HTMLDivElement | null>;
}

/** A form that sends `Body`. It has errors for no other fields. */
export interface Form<Body> {
  /** Spread over the form element. */
  props: {
    ref: RefObject<HTMLFormElement | null>;
    method: 'post';
    onInput: (event: FormEvent<HTMLFormElement>) => void;
    onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  };
  trouble: Trouble<FieldName & keyof Body>;
  busy: boolean;
  /** Seconds until the form may be sent again. Infinity while the summary counts them. */
  wait: number;
  /** Words for screen readers alone. */
  announcement: string;
  summary: Summary;
  clear: () => void;
  /** Shows an error that the passkey button met. */
  tell: (words: string) => void;
}

/**
 * The form of a screen. Without script the form posts to the page, or to its own path below it. With script
 * the same fields go to the API, and errors appear where the server would have
 * rendered them. A submit during a request or during a wait does nothing. A button with
 * `data-without` neither checks nor sends the fields that it names.
 */
export function useForm<Path extends keyof Forms>({
  boot,
  path,
  hold = 0,
  onAnswer,
  onTrouble,
}: FormOptions<Path>): Form<Forms[Path]['in']> {
  const text = useText();
  const form = useRef<HTMLFormElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const pressed = useRef<HTMLElement | null>(null);
  const sentEmail = useRef(boot?.values.email);
  // The errors of the last response, and those left after the user has edited fields.
  const [found, setFound] = useState(() => (boot ? troubleOfBoot(boot) : NO_TROUBLE));
  const [trouble, setTrouble] = useState(found);
  const [busy, setBusy] = useState(false);
  const [announcement, setAnnouncement] = useState('');

  const onWaited = useCallback(() => {
    const over = text.t('common.wait_over');
    if (found.form) setTrouble((old) => ({ ...old, form: over }));
    else setAnnouncement(over);
  }, [text, found]);
  const asked = useMemo(() => ({ seconds: found.retryAfter }), [found]);
  const left = useCountdown(asked, onWaited);
  const counted = left > 0 && trouble.form ? countedWords(trouble, left, text) : '';
  const wait = counted ? Number.POSITIVE_INFINITY : Math.max(hold, left);

  useOwnValidation(form);
  useFocusOnTrouble(found, form, summary);
  useFirstField(form, boot ? boot.notice || boot.session.email : '');
  const rest = useCallback(() => {
    setBusy(false);
    setAnnouncement('');
  }, []);
  useRestoredPage(rest);

  const show = (next: Trouble) => {
    setFound(next);
    setTrouble(next);
  };

  const fail = (next: Trouble) => {
    setBusy(false);
    const shown = form.current && onTrouble?.(next, form.current);
    show(shown ? NO_TROUBLE : next);
  };

  const send = async (element: HTMLFormElement, button: HTMLElement | null) => {
    if (busy || wait > 0) return;
    pressed.current = button;
    const without = button?.dataset['without']?.split(' ') ?? [];
    const faults = checkFields(element, text, without);
    if (Object.keys(faults).length > 0) {
      return fail({ ...NO_TROUBLE, code: 'invalid', fields: { ...NO_FIELDS, ...faults } });
    }
    setBusy(true);
    show(NO_TROUBLE);
    setAnnouncement('');
    sentEmail.current = emailIn(element);
    const body = new FormData(element, button);
    for (const name of without) body.delete(name);
    const answer = await request<Forms[Path]['out']>('POST', path, Object.fromEntries(body));
    if (!answer.ok) return fail(troubleOf(answer.failure, text));
    if (!answer.value.next) return fail(troubleOf(foreign({ status: 200, retry_after: 0 }), text));
    if (!onAnswer) {
      setAnnouncement(text.t('common.going_on'));
      return go(answer.value.next); // stays busy until the next page loads
    }
    setBusy(false);
    onAnswer(answer.value);
  };

  const retry = () => {
    // The pressed button disappears with the message, so the submit button takes the focus.
    form.current?.querySelector<HTMLElement>('[type=submit]')?.focus();
    form.current?.requestSubmit(pressed.current);
  };

  return {
    props: {
      ref: form,
      method: 'post',
      onInput: ({ currentTarget, target }) => {
        // The rate limit is for one address: another address need not wait.
        if (trouble.code === 'throttle.limited' && emailIn(currentTarget) !== sentEmail.current)
          show(NO_TROUBLE);
        else setTrouble(withoutFault(trouble, target as HTMLInputElement));
      },
      onSubmit: (event) => {
        event.preventDefault();
        void send(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter);
      },
    },
    trouble,
    busy,
    wait,
    announcement,
    summary: {
      words: trouble.form,
      counted,
      requestId: { id: trouble.requestId, words: text.t('common.request_id', { id: trouble.requestId }) },
      retry: trouble.again && wait === 0 ? { label: text.t('common.try_again'), onRetry: retry } : undefined,
      ref: summary,
    },
    clear: () => show(NO_TROUBLE),
    tell: (words) => show({ ...NO_TROUBLE, form: words }),
  };
}

/** The words of a fault with the seconds that are left, or "" for words without a time. */
function countedWords({ code, params }: Trouble, left: number, text: Text): string {
  if (!text.fault(code, params)?.includes('{wait}')) return '';
  return text.fault(code, params, left) ?? '';
}

const emailIn = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>('[name=email]')?.value;
