import { useCallback, useEffect } from 'react';
import { request } from '../../api/client';
import type { Flow } from '../../api/schema.gen';
import { useReturn } from '../../lib/use-return';

/**
 * Loads the flow when the user comes back to this tab, and when its code expires. The page then
 * leads on after the mailed link was opened in another tab, and shows the current times. It
 * returns a function that loads the flow at once.
 */
export function useFlowRefresh(
  { id, now, expires_at }: Flow,
  onFlow: (flow: Flow) => void,
): () => Promise<void> {
  const refresh = useCallback(async () => {
    if (!id) return;
    const answer = await request<Flow>('GET', `/auth/api/flows/${encodeURIComponent(id)}`);
    if (!answer.ok) return; // the next submit says what is wrong
    if (answer.value.next) location.reload();
    else onFlow(answer.value);
  }, [id, onFlow]);
  useReturn(refresh);

  useEffect(() => {
    if (now >= expires_at) return;
    const timer = setTimeout(refresh, (expires_at - now + 1) * 1000); // both are whole seconds
    return () => clearTimeout(timer);
  }, [now, expires_at, refresh]);
  return refresh;
}
