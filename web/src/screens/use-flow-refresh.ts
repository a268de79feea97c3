import { useCallback, useEffect, useRef } from 'react';
import { request } from '../api/client';
import type { Flow } from '../api/schema.gen';
import { pauseAt } from '../lib/pause-at';
import { useReturn } from '../lib/use-return';

/**
 * Keeps the flow of an open page true: it loads the flow when the user comes back to this tab. For a
 * flow with an email, or one that goes on in another browser, it also does so every few seconds until the code expires,
 * and then. The page leads on after the step was taken in another tab or by the mailed link, and says soon after the
 * email when it was refused. onFlow gets a flow that is new but leads nowhere else. It returns a function that loads the
 * flow at once.
 */
export function useFlowRefresh(flow: Flow, onFlow: (flow: Flow) => void = reload): () => Promise<void> {
  const { id, now } = flow;
  // A step that is taken elsewhere is looked for as long as an email.
  const { sent_at, expires_at } = flow.state === 'elsewhere' ? { sent_at: now, expires_at: now + 600 } : flow;
  const shown = useRef(flow);
  shown.current = flow;
  const refresh = useCallback(async () => {
    if (!id) return;
    const before = shown.current;
    const answer = await request<Flow>('GET', `/auth/api/flows/${encodeURIComponent(id)}`);
    if (!answer.ok) return; // the next submit says what is wrong
    if (shown.current !== before) return; // a newer email has brought a newer flow
    if (document.querySelector('[aria-busy=true]')) return; // this page takes the step: a reload would lead back from the next page
    if (answer.value.next !== before.next) location.reload();
    else if (timeless(answer.value) !== timeless(before)) onFlow(answer.value);
  }, [id, onFlow]);
  useReturn(refresh);

  useEffect(() => {
    if (now >= expires_at) return;
    const timer = setTimeout(refresh, (expires_at - now + 1) * 1000); // both are whole seconds
    return () => clearTimeout(timer);
  }, [now, expires_at, refresh]);

  useEffect(() => {
    let timer = 0;
    let over = false;
    const wait = (age: number) => {
      const pause = pauseAt(age);
      if (over || sent_at + age + pause > expires_at) return;
      timer = window.setTimeout(() => void refresh().then(() => wait(age + pause)), pause * 1000);
    };
    wait(now - sent_at);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [now, sent_at, expires_at, refresh]);
  return refresh;
}

/** A flow without the time of its answer, as a text. */
const timeless = (flow: Flow) => JSON.stringify({ ...flow, now: 0 });

const reload = () => location.reload();
