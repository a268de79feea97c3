import { useEffect } from 'react';
import { request } from '../../api/client';
import type { Flow } from '../../api/schema.gen';

/**
 * Asks for the flow when the person comes back to this tab: who opened the
 * mailed link in another one moves on, and the times are true again.
 */
export function useFlowRefresh(id: string, onFlow: (flow: Flow) => void): void {
  useEffect(() => {
    if (!id) return;
    const refresh = async () => {
      if (document.visibilityState === 'hidden') return;
      const answer = await request<Flow>('GET', `/auth/api/flows/${encodeURIComponent(id)}`);
      if (!answer.ok) return; // the next press says what is wrong
      if (answer.value.next) location.reload();
      else onFlow(answer.value);
    };
    document.addEventListener('visibilitychange', refresh);
    addEventListener('focus', refresh); // of two windows side by side, both are visible
    return () => {
      document.removeEventListener('visibilitychange', refresh);
      removeEventListener('focus', refresh);
    };
  }, [id, onFlow]);
}
