import { Trouble } from './parts';

export interface FieldOf {
  name: string;
  label: string;
  /** `lines` is data of several lines, and `prose` a text for people. A wheel changes a number, but no `digits`. */
  type?: 'text' | 'email' | 'digits' | 'date' | 'checks' | 'lines' | 'prose';
  /** The boxes of `checks`. */
  options?: string[];
  value?: string;
  hint?: string;
  required?: boolean;
}

/** A field of a window, with why it was refused. */
export function Field(props: FieldOf & { error: unknown }) {
  const { name, label, type = 'text', value = '', hint, required, options = [], error } = props;
  const id = `ask-${name}`;
  const about = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const said = (
    <>
      <div id={`${id}-error`} className="refused">
        <Trouble error={error} />
      </div>
      {hint ? (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </>
  );
  if (type === 'checks')
    return (
      <fieldset className="field boxes" aria-describedby={about}>
        <legend>{label}</legend>
        {options.map((option) => (
          <label key={option}>
            <input type="checkbox" name={name} value={option} /> {option}
          </label>
        ))}
        {said}
      </fieldset>
    );
  const field = {
    id,
    name,
    defaultValue: value,
    required,
    'aria-describedby': about,
    'aria-invalid': Boolean(error),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {type === 'lines' ? (
        <textarea {...field} className="data" rows={8} spellCheck={false} dir="ltr" />
      ) : type === 'prose' ? (
        <textarea {...field} rows={3} dir="auto" />
      ) : (
        <input
          {...field}
          {...(type === 'digits'
            ? { inputMode: 'numeric', pattern: '[0-9]+', title: 'Digits only' }
            : { type })}
          autoComplete="off"
        />
      )}
      {said}
    </div>
  );
}
