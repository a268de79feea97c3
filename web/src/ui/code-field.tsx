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

/** Any text with exactly as many digits, as the server takes it: without script a pasted "894 529" stays as it is. */
const PATTERN = `(\\D*\\d){${CODE_LENGTH}}\\D*`;

const BOXES = Array.from({ length: CODE_LENGTH }, (_, i) => i);

/**
 * The verification code: ONE input, so that autofill, paste and screen readers
 * meet an ordinary field. It has no maxlength: browsers would cut a pasted
 * sentence before the digits can be taken out of it. The form is sent by itself
 * once a code is complete, also when that was before the script was there, and
 * never twice for the same code.
 */
export function CodeField({ label, hint, error }: CodeFieldProps) {
  const sent = useRef('');
  const [filled, setFilled] = useState(0);
  const field = useRef<HTMLInputElement>(null);

  const take = useCallback((input: HTMLInputElement, code: string) => {
    if (code !== input.value) input.value = code;
    setFilled(code.length);
    if (code.length < CODE_LENGTH) sent.current = '';
    else if (code !== sent.current) {
      sent.current = code;
      input.form?.requestSubmit();
    }
  }, []);

  useEffect(() => {
    const input = field.current;
    if (!input) return;
    const code = codeIn(input.value);
    if (code.length === CODE_LENGTH && typedEarly(input)) take(input, code);
    else setFilled(code.length);
  }, [take]);

  const onInput = (event: FormEvent<HTMLInputElement>) => {
    const input = event.currentTarget;
    const native = event.nativeEvent as InputEvent;
    if (native.isComposing) return;
    take(input, completeCodeIn(native.data ?? '') || codeIn(input.value));
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
            onPaste={(event) => pasteCode(event, onInput)}
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
 * Whether what stands in the field was put there before the script was. Not
 * after Back or a reload: the browser brings back what was sent already. Nor
 * once the focus has gone to the button: who pressed it has sent the form.
 */
function typedEarly(input: HTMLInputElement): boolean {
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return visit?.type === 'navigate' && document.activeElement === input;
}

/** A pasted text that holds a whole code replaces what is there, wherever the caret stands. */
function pasteCode(
  event: ClipboardEvent<HTMLInputElement>,
  onInput: (event: FormEvent<HTMLInputElement>) => void,
) {
  const code = completeCodeIn(event.clipboardData.getData('text'));
  if (!code) return;
  event.preventDefault();
  event.currentTarget.value = code;
  onInput(event);
}
