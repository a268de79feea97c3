import styles from './layout.module.css';

/**
 * Tells password managers which account the password is for. It is a real text field out of
 * sight: managers ignore hidden fields, and would then save the code or nothing as the user
 * name. It has no name, so the form does not send it.
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
