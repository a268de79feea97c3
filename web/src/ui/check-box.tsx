import type { ReactNode } from 'react';
import { choose, When } from '../lib/template';
import styles from './check-box.module.css';
import field from './field.module.css';

interface CheckBoxProps {
  name: string;
  value: string;
  /** Whether the box is ticked at the beginning: "yes", or "". */
  ticked: string;
  /** The error below the box, or "". */
  error: string;
  /** Whether the form can be sent without a tick. */
  optional?: boolean;
  children: ReactNode;
}

/** A box with a sentence. It is uncontrolled: a tick from before the script ran stays. */
export function CheckBox({ name, value, ticked, error, optional = false, children }: CheckBoxProps) {
  const box = {
    type: 'checkbox',
    id: name,
    name,
    value,
    required: !optional,
    className: styles.box,
    'aria-invalid': choose(error, 'true', 'false') as 'true' | 'false',
    'aria-describedby': `${name}-error`,
  };
  return (
    <div className={field.field}>
      <div className={styles.row}>
        <When value={ticked} otherwise={<input {...box} />}>
          <input {...box} defaultChecked />
        </When>
        <label className={styles.label} htmlFor={name}>
          {children}
        </label>
      </div>
      <p className={field.error} id={`${name}-error`}>
        {error}
      </p>
    </div>
  );
}
