import { TextField, type TextFieldProps } from './text-field';

/** The name of the user, in letters of any script and in any order. */
export function NameField(props: Omit<TextFieldProps, 'name' | 'type'>) {
  return <TextField type="text" name="name" autoComplete="name" spellCheck={false} {...props} />;
}
