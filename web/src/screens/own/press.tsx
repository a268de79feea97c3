import type { Boot } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { Button } from '../../ui/button';

/** A button with a form of its own, for one entry of the account or for all of them. */
export function Press(props: {
  boot: Boot;
  action: string;
  /** The name and the value of the field that says which entry. */
  entry?: [name: string, value: string];
  /** What the button does, with the name of the entry. */
  label?: string;
  /** The last button before something is lost. */
  last?: boolean;
  children: string;
}) {
  const [name, value] = props.entry ?? [];
  return (
    <PostForm action={props.action}>
      {(busy) => (
        <>
          <input type="hidden" name="account" value={props.boot.session.id} />
          {name ? <input type="hidden" name={name} value={value} /> : null}
          <Button look={props.last ? 'primary' : 'secondary'} busy={busy} aria-label={props.label}>
            {props.children}
          </Button>
        </>
      )}
    </PostForm>
  );
}
