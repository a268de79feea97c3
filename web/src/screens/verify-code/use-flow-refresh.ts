import { useCallback, useEffect } from 'react';
import { request } from '../../api/client';
import type { Flow } from '../../api/schema.gen';
import { useReturn } from '../../lib/use-return';

/**
 * Asks for the flow when the person comes back to this tab, and when the time of
 * its code is up: who opened the mailed link in another one moves on, the times
 * are true again, and nobody types a code that is over. Returns what asks at once.
 */
export function useFlowRefresh(
  { id, now, expires_at }: Flow,
  onFlow: (flow: Flow) => void,
): () => Promise<void> {
  const refresh = useCallback(async () => {
    if (!id) return;
    const answer = await request<Flow>('GET', `/auth/api/flows/${encodeURIComponent(id)}`);
    if (!answer.ok) return; // the next press says what is wrong
    if (answer.value.next) location.reload();
    else onFlow(answer.value);
  }, [id, onFlow]);
  useReturn(refresh);

  useEffect(() => {
    if (now >= expires_at) return;
    const timer = setTimeout(refresh, (expires_at - now + 1) * 1000); // both are cut to seconds
    return () => clearTimeout(timer);
  }, [now, expires_at, refresh]);
  return refresh;
}
