import { type ReactNode, useEffect, useRef } from 'react';
import styles from './guard.module.css';

/**
 * Buttons that appear a moment after the page. The style sheet delays them, with and without
 * script. The script starts the delay again when the page becomes visible, such as after a tab
 * over it is closed.
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
