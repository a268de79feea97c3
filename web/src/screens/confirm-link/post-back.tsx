import { type FormEvent, type ReactNode, useCallback, useState } from 'react';
import type { Boot, ConfirmLink } from '../../api/schema.gen';
import { useRestoredPage } from '../../lib/use-restored-page';
import { HiddenField } from '../../ui/hidden-field';

/** A native form to this page. A cookie holds the link that it is about. */
export function PostBack(props: { boot: Boot; action: string; children: (busy: boolean) => ReactNode }) {
  const [busy, setBusy] = useState(false);
  useRestoredPage(useCallback(() => setBusy(false), []));
  const send = (event: FormEvent) => (busy ? event.preventDefault() : setBusy(true));
  return (
    <form method="post" onSubmit={send}>
      <HiddenField<ConfirmLink> name="link" value={props.boot.link.mark} />
      <input type="hidden" name="action" value={props.action} />
      {props.children(busy)}
    </form>
  );
}
