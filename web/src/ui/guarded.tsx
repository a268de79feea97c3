import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button';
import styles from './guard.module.css';
import { Actions } from './layout';

/**
 * Buttons that appear a moment after the page. The style sheet delays them, with and without
 * script. The script starts the delay again when the page becomes visible, such as after a tab
 * over it is closed, and when its window gets the focus, such as after a window over it is closed.
 */
export function Guarded({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let held: Element | null = null; // the button that loses the focus while it is hidden
    const seen = () => {
      if (document.hidden) return;
      if (box.current?.contains(document.activeElement)) held = document.activeElement;
      for (const animation of box.current?.getAnimations({ subtree: true }) ?? []) {
        animation.play();
        animation.onfinish = () => {
          if (document.activeElement === document.body) (held as HTMLElement | null)?.focus();
        };
      }
    };
    document.addEventListener('visibilitychange', seen);
    window.addEventListener('focus', seen);
    return () => {
      document.removeEventListener('visibilitychange', seen);
      window.removeEventListener('focus', seen);
    };
  }, []);
  return (
    <div ref={box} className={styles.guard}>
      {children}
    </div>
  );
}

/** The two answers to what somebody else asks for. */
export const Answers = ({ allow, deny, busy }: { allow: string; deny: string; busy: boolean }) => (
  <Guarded>
    <Actions>
      <Button name="answer" value="allow" busy={busy}>
        {allow}
      </Button>
      <Button name="answer" value="deny" look="secondary" busy={busy}>
        {deny}
      </Button>
    </Actions>
  </Guarded>
);
