import {
  type ClipboardEvent,
  type FormEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { CODE_LENGTH, codeIn, completeCodeIn, type Lengths } from '../lib/code';
import { choose } from '../lib/template';
import styles from './code-field.module.css';
import text from './field.module.css';

interface CodeFieldProps {
  label: string;
  hint: string;
  error: string;
  /** How many digits the code has, where that depends on the account. */
  shortest?: string;
  longest?: string;
}

/**
 * Any text with as many digits, in any script. The server accepts the same: without
 * script a pasted "894 529" stays as it is. The zeros keep "{" apart from the slots of a template.
 */
const pattern = (shortest: string, longest: string) => `(\\P{Nd}*\\p{Nd}){0${shortest},0${longest}}\\P{Nd}*`;

const SIX = String(CODE_LENGTH);

/** The styles leave out the last boxes of a shorter code. */
const BOXES = [0, 1, 2, 3, 4, 5, 6, 7];

/**
 * The verification code. It is ONE input, so that autofill, paste and screen readers
 * meet an ordinary field. It has no maxlength: browsers would cut a pasted sentence
 * before the digits can be taken out of it.
 *
 * The form submits itself when a code becomes complete at its end or is replaced as a
 * whole. If codes may have several lengths, a typed one is complete with the longest. This includes a code that was typed before the script ran. It never submits the
 * same code twice. A digit in the middle of a code does not submit the form, because each
 * wrong code costs one of few attempts. A click or the focus selects a complete code, so
 * that typing replaces it.
 */
export function CodeField({ label, hint, error, shortest = SIX, longest = SIX }: CodeFieldProps) {
  const lengths = useMemo(
    () => ({ shortest: Number(shortest), longest: Number(longest) }),
    [shortest, longest],
  );
  const sent = useRef('');
  const before = useRef('');
  const [filled, setFilled] = useState(0);
  const field = useRef<HTMLInputElement>(null);

  const take = useCallback(
    (input: HTMLInputElement, code: string, whole: boolean) => {
      const complete = code.length === lengths.longest;
      const meant = whole || (complete && continues(before.current, code));
      before.current = code;
      if (code !== input.value) input.value = code;
      setFilled(code.length);
      if (!whole && !complete) sent.current = '';
      else if (meant && code !== sent.current) {
        sent.current = code;
        input.form?.requestSubmit();
      }
    },
    [lengths],
  );

  useEffect(() => {
    const input = field.current;
    if (!input) return;
    const code = codeIn(input.value, lengths);
    if (code.length === lengths.longest && typedEarly(input)) take(input, code, true);
    else {
      before.current = code;
      setFilled(code.length);
    }
  }, [take, lengths]);

  const onInput = (event: FormEvent<HTMLInputElement>) => {
    const input = event.currentTarget;
    const native = event.nativeEvent as InputEvent;
    if (native.isComposing) return;
    const inserted = completeCodeIn(native.data ?? '', lengths);
    const code = inserted || codeIn(input.value, lengths);
    take(input, code, completeCodeIn(code, lengths) !== '' && (inserted !== '' || fillsIn(native)));
  };

  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor="code">
        {label}
      </label>
      <div className={styles.code}>
        <div className={styles.clip} data-digits={longest}>
          <span className={styles.boxes} aria-hidden="true">
            {BOXES.map((box) => (
              <i key={box} data-next={box === Math.min(filled, (lengths.longest || CODE_LENGTH) - 1)} />
            ))}
          </span>
          <input
            ref={field}
            id="code"
            name="code"
            className={styles.input}
            type="text"
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern={pattern(shortest, longest)}
            title={label}
            required
            spellCheck={false}
            enterKeyHint="done"
            // biome-ignore lint/a11y/noAutofocus: the one thing to do on this page; phones offer the code from the mail only on the focused field
            autoFocus
            aria-invalid={choose(error, 'true', 'false') as 'true' | 'false'}
            aria-describedby="code-notes"
            onInput={onInput}
            onCompositionEnd={onInput}
            onPaste={(event) => pasteCode(event, take, lengths)}
            onFocus={(event) => selectWhole(event.currentTarget, lengths)}
            onClick={(event) => selectWhole(event.currentTarget, lengths)}
          />
        </div>
      </div>
      <div id="code-notes">
        <p className={text.error} id="code-error">
          {error}
        </p>
        <p className={`${text.hint} ${styles.hint}`}>{hint}</p>
      </div>
    </div>
  );
}

/**
 * Whether the text of the field was typed before the script ran. It was not after Back or a
 * reload, when the browser restores a code that was sent already. Nor was it when the button
 * has the focus, because its press has sent the form.
 */
function typedEarly(input: HTMLInputElement): boolean {
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return visit?.type === 'navigate' && document.activeElement === input;
}

/** Whether digits were added at the end of an incomplete code. */
const continues = (before: string, code: string) => before.length < code.length && code.startsWith(before);

/** Whether the browser or a password manager filled in the field. Such an event has no single characters. */
const fillsIn = ({ inputType, data }: InputEvent) =>
  data == null && (!inputType || inputType === 'insertReplacementText');

function selectWhole(input: HTMLInputElement, { longest }: Lengths) {
  if (input.value.length === longest) input.select();
}

/** A pasted text with a whole code replaces the content of the field, wherever the caret is. */
function pasteCode(
  event: ClipboardEvent<HTMLInputElement>,
  take: (input: HTMLInputElement, code: string, whole: boolean) => void,
  lengths: Lengths,
) {
  const code = completeCodeIn(event.clipboardData.getData('text'), lengths);
  if (!code) return;
  event.preventDefault();
  take(event.currentTarget, code, true);
}
