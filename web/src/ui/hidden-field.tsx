import { When } from '../lib/template';

/** A value that a form sends as the field `name` of `Body`; absent while empty. */
export function HiddenField<Body>({ name, value }: { name: keyof Body & string; value: string }) {
  return (
    <When value={value}>
      <input type="hidden" name={name} value={value} />
    </When>
  );
}
