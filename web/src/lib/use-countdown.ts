import { useEffect, useState } from 'react';

/**
 * Counts down the seconds of a wait. It uses the monotonic clock, so a wrong system clock or a
 * throttled background tab does not change the end. A new `wait` object starts again, also with
 * the same seconds. The first render returns 0, as the server rendered it.
 */
export function useCountdown(wait: { seconds: number }, onEnd: () => void): number {
  const [left, setLeft] = useState(0);

  useEffect(() => {
    if (!(wait.seconds > 0)) return setLeft(0);
    const end = performance.now() + wait.seconds * 1000;
    const tick = () => {
      const now = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      setLeft(now);
      if (now > 0) return;
      clearInterval(timer);
      onEnd();
    };
    const timer = setInterval(tick, 250);
    setLeft(Math.ceil(wait.seconds));
    return () => clearInterval(timer);
  }, [wait, onEnd]);

  return left;
}

/** "1:05" of 65 seconds. */
export const clockText = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
