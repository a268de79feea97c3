import { type KeyboardEvent, useId, useRef, useState } from 'react';

export interface Item {
  label: string;
  danger?: boolean;
  run: () => void;
}

const GAP = 4;

/** Puts a menu below its button, at its end, or above it where there is no room. */
function place(menu: HTMLElement, button: HTMLElement) {
  const { top, bottom, right, left } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = bottom + GAP + height < innerHeight || top < height + GAP;
  menu.style.insetBlockStart = `${below ? bottom + GAP : top - GAP - height}px`;
  menu.style.insetInlineStart = `${Math.max(8, right - width > 8 ? right - width : left)}px`;
  menu.style.visibility = 'visible';
}

/**
 * A button that opens a list of actions, with the keys of a menu. Its name says what they are for. It is a native
 * popover: the menu of a library weighs as much as half of React.
 */
export function Actions({ of, items, words }: { of: string; items: Item[]; words?: string }) {
  const label = `${words ?? 'Actions'} for ${of}`;
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  const options = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const shown = () => {
    if (!menu.current || !button.current) return;
    place(menu.current, button.current);
    options()[0]?.focus({ preventScroll: true });
    addEventListener('scroll', () => menu.current?.hidePopover(), { once: true, passive: true });
  };
  const press = (event: KeyboardEvent) => {
    const all = options();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (event.key === 'Tab') menu.current?.hidePopover();
    const starts = (option: HTMLElement) =>
      option.textContent?.toLowerCase().startsWith(event.key.toLowerCase());
    const to = next ?? all.indexOf([...all.slice(at + 1), ...all].find(starts) as HTMLElement);
    if (to < 0 || event.key === ' ') return;
    event.preventDefault();
    all[to]?.focus();
  };

  return (
    <>
      <button
        type="button"
        ref={button}
        className={words ? 'button-button button-secondary' : 'dots'}
        aria-label={words ? undefined : label}
        aria-haspopup="menu"
        aria-expanded={open}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          menu.current?.showPopover({ source: event.currentTarget });
        }}
      >
        {words ? (
          <>
            {words}
            <span className="hidden-words"> for {of}</span>
            <span aria-hidden="true">▾</span>
          </>
        ) : (
          <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M4 10h.1M10 10h.1M16 10h.1" />
          </svg>
        )}
      </button>
      <div
        popover="auto"
        id={id}
        ref={menu}
        role="menu"
        className="menu"
        aria-label={label}
        onBeforeToggle={({ newState, currentTarget }) => {
          if (newState === 'closed') return;
          currentTarget.style.visibility = 'hidden'; // until it has its place
          setOpen(true);
        }}
        onToggle={({ newState }) => {
          if (newState === 'open') shown();
          else setOpen(false); // not before: an item that is gone cannot give its focus back
        }}
        onKeyDown={press}
        tabIndex={-1}
      >
        {open
          ? items.map(({ label: name, danger, run }) => (
              <button
                key={name}
                type="button"
                role="menuitem"
                tabIndex={-1}
                className={danger ? 'menu-item danger' : 'menu-item'}
                onClick={() => {
                  menu.current?.hidePopover(); // gives the focus back, where the window will leave it
                  run();
                }}
              >
                {name}
              </button>
            ))
          : null}
      </div>
    </>
  );
}
