import type { ComponentProps } from 'react';
import { choose } from '../lib/template';
import styles from './field.module.css';

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id' | 'className'> {
  name: string;
  label: string;
  /** The error below the field, or "". */
  error: string;
}

/** A labelled, uncontrolled field: text that was typed before the script ran stays. */
export function TextField({ label, error, ...input }: TextFieldProps) {
  const { name } = input;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={name}>
        {label}
      </label>
      <input
        {...input}
        id={name}
        className={styles.input}
        aria-invalid={choose(error, 'true', 'false') as 'true' | 'false'}
        aria-describedby={`${name}-error`}
      />
      <p className={styles.error} id={`${name}-error`}>
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
