import { type RefObject, useEffect } from 'react';

const KEY = 'portico.typed';

/**
 * Brings what is typed in a form to the next page when a form of the picture leaves this one. It is kept in this tab's
 * storage, for the account of the form. Without storage the user types it again.
 */
export function useTyped(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const fields = () => Object.fromEntries(new FormData(form.current ?? undefined));
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, string>;
      sessionStorage.removeItem(KEY);
      if (kept['account'] === fields()['account'])
        for (const name in kept)
          Object.assign(form.current?.elements.namedItem(name) ?? {}, { value: kept[name] });
    } catch {}
    const keep = ({ target }: Event) => {
      if (!(target as HTMLFormElement).action.includes('/picture')) return;
      try {
        sessionStorage.setItem(KEY, JSON.stringify(fields()));
      } catch {}
    };
    addEventListener('submit', keep);
    return () => removeEventListener('submit', keep);
  }, [form]);
}
