import { type ReactNode, useEffect, useRef } from 'react';
import styles from './guard.module.css';

/**
 * Buttons that come a moment after the page. The style sheet does it, with and without script; here it begins
 * anew when the page comes into view again, as when a tab over it is closed.
 */
export function Guarded({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const seen = () => {
      if (document.hidden) return;
      for (const animation of box.current?.getAnimations({ subtree: true }) ?? []) animation.play();
    };
    document.addEventListener('visibilitychange', seen);
    return () => document.removeEventListener('visibilitychange', seen);
  }, []);
  return (
    <div ref={box} className={styles.guard}>
      {children}
    </div>
  );
}
