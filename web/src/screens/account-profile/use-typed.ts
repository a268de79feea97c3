import { type RefObject, useEffect } from 'react';
import { keep, take } from '../../lib/tab-storage';

const KEY = 'portico.typed';

/**
 * Brings what is typed in a form to the next page when a form of the picture leaves this one. It is kept in this tab's
 * storage, for the account of the form. Without storage the user types it again.
 */
export function useTyped(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const fields = () => Object.fromEntries(new FormData(form.current ?? undefined));
    const kept = JSON.parse(take(KEY) || '{}') as Record<string, string>;
    if (kept['account'] === fields()['account'])
      for (const name in kept)
        Object.assign(form.current?.elements.namedItem(name) ?? {}, { value: kept[name] });
    const leave = ({ target }: Event) => {
      if ((target as HTMLFormElement).action.includes('/picture')) keep(KEY, JSON.stringify(fields()));
    };
    addEventListener('submit', leave);
    return () => removeEventListener('submit', leave);
  }, [form]);
}
