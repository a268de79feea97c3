import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button';
import { fieldOf } from './api';
import { Field, type FieldOf } from './ask-field';
import { refocus } from './focus';
import { Trouble } from './parts';

export interface Question {
  title: string;
  /** What will happen. */
  says?: ReactNode;
  /** The words on the button that does it. */
  press: string;
  danger?: boolean;
  /** It only tells something, so there is nothing to cancel. What is told once is not lost by Escape. */
  told?: boolean | 'once';
  /** It goes on by itself, without a press. */
  atOnce?: boolean;
  /** The question before this one, with what was typed. */
  back?: Question;
  /** What has to be typed, so that nobody does this by a slip. */
  typed?: string;
  fields?: FieldOf[];
  /** Does it. What it returns is said at the bottom of the page, or is the next question. `once` is of this window, for `change`. */
  run: (values: FormData, once: string) => Promise<string | { next: Question }>;
}

interface Asking {
  ask: (question: Question) => void;
  say: (words: string) => void;
}

const Context = createContext<Asking>({ ask: () => {}, say: () => {} });

/** Opens the window of a change, and says what a change has done. */
export const useAsk = () => useContext(Context);

const SAID_MS = 8000;

/** Has the one window in which every change is asked about, and the words about the last one. */
export function AskProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [said, say] = useState('');
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => say(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const ask = (next: Question) => {
    say(''); // the same words once more would be no change, and not be read
    setQuestion(next);
  };
  const close = (words: string) => {
    setQuestion(null);
    if (words) say(words);
    refocus();
  };
  const status = (
    <div role="status" className="said">
      {said ? <p>{said}</p> : null}
    </div>
  );
  return (
    <Context value={{ ask, say }}>
      {children}
      {question ? (
        <Window key={question.title} question={question} goOn={setQuestion} close={close}>
          {status /* what is behind the window is not read */}
        </Window>
      ) : null}
      {status}
    </Context>
  );
}

interface WindowProps {
  question: Question;
  goOn: Asking['ask'];
  close: (words: string) => void;
  children: ReactNode;
}

/** Opens a window, with the focus on its first field, but on no button: a key that is still down must not press it. */
function show(dialog: HTMLDialogElement | null) {
  dialog?.showModal();
  (dialog?.querySelector<HTMLElement>('input, textarea') ?? dialog)?.focus();
}

function Window({ question, goOn, close, children }: WindowProps) {
  const { title, says, press, danger, told, atOnce, back, typed, fields = [], run } = question;
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [text, setText] = useState('');
  const [kept, setKept] = useState(false);
  const [once] = useState(() => crypto.randomUUID());
  useEffect(() => {
    show(dialog.current);
    if (atOnce) dialog.current?.querySelector('form')?.requestSubmit();
  }, [atOnce]);
  const ended = useRef<string>(null);
  const shut = (words: string) => {
    ended.current = words;
    dialog.current?.close();
  };
  const leave = () => {
    if (busy) return;
    if (back) goOn(back);
    else shut('');
  };
  const locked = busy || told === 'once'; // a change goes on without its window, and only the window says how it ends

  const submit = async (form: HTMLFormElement) => {
    if (busy) return;
    if (typed && text.trim() !== typed) return form.querySelector<HTMLElement>('#ask-typed')?.focus();
    setBusy(true);
    setError(null);
    try {
      const done = await run(new FormData(form), once);
      if (typeof done === 'string') shut(done);
      else goOn(done.next);
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  const refused = fields.find(({ name }) => name === fieldOf(error))?.name;
  useEffect(() => {
    if (error) toRefused(dialog.current?.querySelector('form'), fieldOf(error));
  }, [error]);

  return (
    <dialog
      ref={dialog}
      className={danger ? 'confirm ask final' : 'confirm ask'}
      tabIndex={-1}
      aria-labelledby="ask-title"
      aria-describedby={says ? 'ask-says' : undefined}
      onKeyDown={(event) => {
        if (!locked || event.key !== 'Escape') return;
        event.preventDefault(); // a browser lets `cancel` be prevented once only
        setKept(true);
      }}
      onCancel={(event) => {
        if (locked) event.preventDefault(); // Back of a phone, whose second press closes it all the same
      }}
      onClose={() => {
        if (!locked || ended.current !== null) return close(ended.current ?? '');
        show(dialog.current);
        setKept(true);
      }}
    >
      <h2 id="ask-title">{title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        {says ? (
          <div id="ask-says" className="ask-says">
            {says}
          </div>
        ) : null}
        {fields.map((field) => (
          <Field key={field.name} {...field} error={field.name === refused ? error : null} />
        ))}
        {typed ? (
          <p className="field">
            <label htmlFor="ask-typed">
              Type <b>{typed}</b> to confirm
            </label>
            <input
              id="ask-typed"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </p>
        ) : null}
        <div className="ask-end">
          <Trouble error={refused ? null : error} />
          {told === 'once' ? (
            <p role="status">{kept ? `Copy it first, then press “${press}”.` : ''}</p>
          ) : null}
          <div className="confirm-actions">
            <Button busy={busy} aria-disabled={Boolean(typed) && text.trim() !== typed}>
              {press}
            </Button>
            {told ? null : (
              <Button type="button" look="secondary" aria-disabled={busy} onClick={leave}>
                {back ? 'Back' : 'Cancel'}
              </Button>
            )}
          </div>
        </div>
      </form>
      {children}
    </dialog>
  );
}

/** Puts the focus on a refused field, or on the first box of several, and selects what is to be typed anew. */
function toRefused(form: HTMLFormElement | null | undefined, name: string) {
  const found = form?.elements.namedItem(name);
  const field = found instanceof RadioNodeList ? found[0] : found;
  if (!(field instanceof HTMLElement)) return;
  field.focus();
  if (field instanceof HTMLInputElement) field.select();
  document.getElementById(`ask-${name}-error`)?.scrollIntoView({ block: 'nearest' });
}
