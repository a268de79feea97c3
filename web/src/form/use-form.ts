import { type FormEvent, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { request } from '../api/client';
import { foreign } from '../api/problem';
import type { Boot, Forms } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import { go } from '../lib/fragment';
import { useStay } from '../lib/use-restored-page';
import { checkFields } from './check-fields';
import { useFirstField } from './effects';
import {
  type FieldName,
  NO_FIELDS,
  NO_TROUBLE,
  type Trouble,
  troubleOf,
  troubleOfBoot,
  withoutFault,
} from './failure';
import { type Summary, useTrouble } from './use-trouble';

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

/** A form that sends `Body`. It has errors for no other fields. */
export interface Form<Body> {
  /** Spread over the form element. */
  props: {
    ref: RefObject<HTMLFormElement | null>;
    method: 'post';
    /** Our words replace the browser's bubbles. Without script the bubbles stay. */
    noValidate: boolean;
    onInput: (event: FormEvent<HTMLFormElement>) => void;
    onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  };
  trouble: Trouble<FieldName & keyof Body>;
  busy: boolean;
  /** Seconds until the form may be sent again. Infinity while the summary counts them. */
  wait: number;
  /** Words for screen readers alone. */
  announcement: string;
  summary: Summary & { retry: { label: string; onRetry: () => void } | undefined };
  clear: () => void;
  /** Shows an error that the passkey button met. Another try of the form would not help. */
  tell: (trouble: Trouble) => void;
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
  const pressed = useRef<HTMLElement | null>(null);
  const sentEmail = useRef(boot?.values.email);
  const [busy, setBusy] = useState(false);
  const [live, setLive] = useState(false);
  const first = boot ? troubleOfBoot(boot) : NO_TROUBLE;
  const { trouble, setTrouble, show, announcement, setAnnouncement, ...shown } = useTrouble(first, form);
  const wait = Math.max(hold, shown.wait);

  useLayoutEffect(() => setLive(true), []); // before anything can be pressed
  useFirstField(form, boot ? boot.notice || boot.session.email : '');
  const rest = useCallback(() => {
    setBusy(false);
    setAnnouncement('');
  }, [setAnnouncement]);
  useStay(rest);

  const fail = (next: Trouble) => {
    setBusy(false);
    const own = form.current && onTrouble?.(next, form.current);
    show(own ? NO_TROUBLE : next);
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
    const button = pressed.current;
    form.current?.requestSubmit(button?.isConnected ? button : null); // the form may have another one now
  };

  return {
    props: {
      ref: form,
      method: 'post',
      noValidate: live,
      onInput: ({ currentTarget, target }) => {
        // The rate limit is for one address: another address need not wait.
        if (trouble.code === 'throttle.limited' && emailIn(currentTarget) !== sentEmail.current)
          show(NO_TROUBLE);
        else setTrouble((old) => withoutFault(old, target as HTMLInputElement)); // the field may just have sent the form
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
      ...shown.summary,
      retry: trouble.again && wait === 0 ? { label: text.t('common.try_again'), onRetry: retry } : undefined,
    },
    clear: () => show(NO_TROUBLE),
    tell: (told) => show({ ...told, again: false }),
  };
}

const emailIn = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>('[name=email]')?.value;
