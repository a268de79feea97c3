import { type FormEvent, type ReactNode, useCallback, useState } from 'react';
import type { Boot, ConfirmLink } from '../../api/schema.gen';
import { useRestoredPage } from '../../lib/use-restored-page';
import { HiddenField } from '../../ui/hidden-field';

/** A native form of this page. A cookie holds the link that it is about. */
export function PostBack(props: {
  boot: Boot;
  action: 'anew' | 'resend';
  children: (busy: boolean) => ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  useRestoredPage(useCallback(() => setBusy(false), []));
  const send = (event: FormEvent) => (busy ? event.preventDefault() : setBusy(true));
  return (
    <form method="post" action={`/auth/confirm-link/${props.action}`} onSubmit={send}>
      <HiddenField<ConfirmLink> name="link" value={props.boot.link.mark} />
      {props.children(busy)}
    </form>
  );
}
