import type { ReactNode } from 'react';
import { useText } from '../../i18n/provider';

interface ConfirmProps {
  /** Tells the questions of a page apart. */
  id: string;
  /** The words on the first button, and its name where the page has several. */
  press: string;
  label?: string;
  title: string;
  /** Nothing is lost for good. */
  calm?: boolean;
  /** What will happen. */
  says: ReactNode;
  /** The form with the last button. */
  children: ReactNode;
}

/**
 * A button that asks before something is lost: it opens a window over the page, which says what will happen and has the
 * button that does it. It is a popover, so it needs no script.
 */
export function Confirm({ id, press, label, title, calm = false, says, children }: ConfirmProps) {
  const { t } = useText();
  return (
    <div className={calm ? 'step' : 'step danger'}>
      <button type="button" className="button-button button-secondary" popoverTarget={id} aria-label={label}>
        {press}
      </button>
      <div
        popover="auto"
        id={id}
        className={calm ? 'confirm' : 'confirm final'}
        role="dialog"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-says`}
        tabIndex={-1}
        // biome-ignore lint/a11y/noAutofocus: only when the window opens, or the focus would stay behind it
        autoFocus
      >
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-says`}>{says}</p>
        <div className="confirm-actions">
          {children}
          <button
            type="button"
            className="button-button button-secondary cancel"
            popoverTarget={id}
            popoverTargetAction="hide"
          >
            {t('section.cancel')}
          </button>
        </div>
      </div>
    </div>
  );
}
