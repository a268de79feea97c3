import { useState } from 'react';
import type { Boot, Forms } from '../../api/schema.gen';
import { GONE, postWhenChanged, UNPROVEN } from '../../form/reload-when-over';
import { type Form, useForm } from '../../form/use-form';
import { type Asked, isOut, ownMark, useProven } from './proof';

interface OwnForm<Body> extends Form<Body> {
  /** Set while the user must sign in again: the prop of Proof. */
  asked: Asked;
}

/** A form of an account page. Without `boot` it is a second form of the page. */
export function useOwnForm<Path extends keyof Forms>(path: Path, boot?: Boot): OwnForm<Forms[Path]['in']> {
  const [asked, setAsked] = useState<Asked>({ how: boot ? boot.again : '' });
  const [mark] = useState(ownMark);
  const form = useForm({
    ...(boot ? { boot } : {}),
    path,
    onTrouble: (trouble, element) => {
      const { code } = trouble;
      // an open window would cover the error; Firefox 124 has none
      for (const window of document.querySelectorAll<HTMLElement>('[popover]')) window.hidePopover?.();
      // Only an account page says that an alarm closes it. A step has words for it.
      if (!postWhenChanged(trouble, element) && (GONE.test(code) || code === 'alarm.raised'))
        location.reload();
      if (!UNPROVEN.test(code)) return false;
      setAsked({ how: mark, out: isOut(code) });
      return true;
    },
  });
  useProven((proven) => {
    setAsked({ how: '' });
    if (proven === asked.how) form.props.ref.current?.requestSubmit();
  });
  return { ...form, asked };
}
