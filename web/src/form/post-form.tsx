import { type FormEvent, type ReactNode, useCallback, useState } from 'react';
import { useRestoredPage } from '../lib/use-restored-page';

/** A native form whose answer may be a page of an app. It is sent once. */
export function PostForm(props: { action: string; children: (busy: boolean) => ReactNode }) {
  const [busy, setBusy] = useState(false);
  useRestoredPage(useCallback(() => setBusy(false), []));
  const send = (event: FormEvent) => (busy ? event.preventDefault() : setBusy(true));
  return (
    <form method="post" action={props.action} onSubmit={send}>
      {props.children(busy)}
    </form>
  );
}
