import { type FormEvent, type ReactNode, type Ref, useCallback, useState } from 'react';
import { useStay } from '../lib/use-restored-page';

/** A native form whose answer may be a page of an app. It is sent once. */
export function PostForm(props: {
  action: string;
  ref?: Ref<HTMLFormElement>;
  /** Of a form with a file. */
  encType?: 'multipart/form-data';
  children: (busy: boolean) => ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  useStay(useCallback(() => setBusy(false), []));
  const send = (event: FormEvent) => (busy ? event.preventDefault() : setBusy(true));
  return (
    <form method="post" action={props.action} encType={props.encType} onSubmit={send} ref={props.ref}>
      {props.children(busy)}
    </form>
  );
}
