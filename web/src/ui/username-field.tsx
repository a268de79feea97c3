import styles from './layout.module.css';

/**
 * Tells password managers whose password this is. It is a real text field that
 * nobody sees: managers pass over hidden ones and then save the code or nothing
 * as the user name. It has no name, so the form does not send it.
 */
export function UsernameField({ value }: { value: string }) {
  return (
    <input
      className={styles.hidden}
      type="text"
      id="username"
      autoComplete="username"
      defaultValue={value}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}
