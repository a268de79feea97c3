import type { ComponentProps } from 'react';
import { choose } from '../lib/template';
import styles from './field.module.css';

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'className'> {
  name: string;
  /** Where the page has several fields of this name. */
  id?: string;
  label: string;
  /** The error below the field, or "". */
  error: string;
}

/** A labelled, uncontrolled field: text that was typed before the script ran stays. */
export function TextField({ label, error, ...input }: TextFieldProps) {
  const { name, id = name } = input;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <input
        {...input}
        id={id}
        className={styles.input}
        aria-invalid={choose(error, 'true', 'false') as 'true' | 'false'}
        aria-describedby={`${id}-error`}
      />
      <p className={styles.error} id={`${id}-error`}>
        {error}
      </p>
    </div>
  );
}

/** The email field, with the attributes that browsers and password managers look for. */
export function EmailField(props: Omit<TextFieldProps, 'name' | 'type'>) {
  return (
    <TextField
      type="email"
      name="email"
      autoComplete="username"
      inputMode="email"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      required
      {...props}
    />
  );
}
