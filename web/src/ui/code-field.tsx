import { type ClipboardEvent, type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { CODE_LENGTH, codeIn, completeCodeIn } from '../lib/code';
import { choose } from '../lib/template';
import styles from './code-field.module.css';
import text from './field.module.css';

interface CodeFieldProps {
  label: string;
  hint: string;
  error: string;
}

/**
 * Any text with exactly as many digits, in any script. The server accepts the same: without
 * script a pasted "894 529" stays as it is.
 */
const PATTERN = `(\\P{Nd}*\\p{Nd}){${CODE_LENGTH}}\\P{Nd}*`;

const BOXES = Array.from({ length: CODE_LENGTH }, (_, i) => i);

/**
 * The verification code. It is ONE input, so that autofill, paste and screen readers
 * meet an ordinary field. It has no maxlength: browsers would cut a pasted sentence
 * before the digits can be taken out of it.
 *
 * The form submits itself when a code becomes complete at its end or is replaced as a
 * whole. This includes a code that was typed before the script ran. It never submits the
 * same code twice. A digit in the middle of a code does not submit the form, because each
 * wrong code costs one of few attempts. A click or the focus selects a complete code, so
 * that typing replaces it.
 */
export function CodeField({ label, hint, error }: CodeFieldProps) {
  const sent = useRef('');
  const before = useRef('');
  const [filled, setFilled] = useState(0);
  const field = useRef<HTMLInputElement>(null);

  const take = useCallback((input: HTMLInputElement, code: string, whole: boolean) => {
    const meant = whole || continues(before.current, code);
    before.current = code;
    if (code !== input.value) input.value = code;
    setFilled(code.length);
    if (code.length < CODE_LENGTH) sent.current = '';
    else if (meant && code !== sent.current) {
      sent.current = code;
      input.form?.requestSubmit();
    }
  }, []);

  useEffect(() => {
    const input = field.current;
    if (!input) return;
    const code = codeIn(input.value);
    if (code.length === CODE_LENGTH && typedEarly(input)) take(input, code, true);
    else {
      before.current = code;
      setFilled(code.length);
    }
  }, [take]);

  const onInput = (event: FormEvent<HTMLInputElement>) => {
    const input = event.currentTarget;
    const native = event.nativeEvent as InputEvent;
    if (native.isComposing) return;
    const inserted = completeCodeIn(native.data ?? '');
    take(input, inserted || codeIn(input.value), inserted !== '' || fillsIn(native));
  };

  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor="code">
        {label}
      </label>
      <div className={styles.code}>
        <div className={styles.clip}>
          <span className={styles.boxes} aria-hidden="true">
            {BOXES.map((box) => (
              <i key={box} data-next={box === Math.min(filled, CODE_LENGTH - 1)} />
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
            pattern={PATTERN}
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
            onPaste={(event) => pasteCode(event, take)}
            onFocus={selectWhole}
            onClick={selectWhole}
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
const continues = (before: string, code: string) => before.length < CODE_LENGTH && code.startsWith(before);

/** Whether the browser or a password manager filled in the field. Such an event has no single characters. */
const fillsIn = ({ inputType, data }: InputEvent) =>
  data == null && (!inputType || inputType === 'insertReplacementText');

function selectWhole({ currentTarget }: { currentTarget: HTMLInputElement }) {
  if (currentTarget.value.length === CODE_LENGTH) currentTarget.select();
}

/** A pasted text with a whole code replaces the content of the field, wherever the caret is. */
function pasteCode(
  event: ClipboardEvent<HTMLInputElement>,
  take: (input: HTMLInputElement, code: string, whole: boolean) => void,
) {
  const code = completeCodeIn(event.clipboardData.getData('text'));
  if (!code) return;
  event.preventDefault();
  take(event.currentTarget, code, true);
}
