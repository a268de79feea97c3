import type { Choice } from '../../api/schema.gen';
import { Each, When } from '../../lib/template';
import styles from '../../ui/field.module.css';

/** A choice, which a form sends as the field `name` of `Body`. */
export function SelectField<Body>({
  name,
  label,
  list,
  languages = false,
}: {
  name: keyof Body & string;
  label: string;
  list: Choice[];
  /** Whether these are languages, each named in itself. */
  languages?: boolean;
}) {
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={name}>
        {label}
      </label>
      <select className={styles.input} id={name} name={name}>
        <Each of={list}>
          {(choice) => {
            const option = (selected: boolean) => (
              <option value={choice.id} lang={languages ? choice.id : undefined} selected={selected}>
                {choice.name}
              </option>
            );
            return (
              <When value={choice.chosen} otherwise={option(false)}>
                {option(true)}
              </When>
            );
          }}
        </Each>
      </select>
    </div>
  );
}
