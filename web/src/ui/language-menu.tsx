import { Each, oneOf } from '../lib/template';
import { HiddenField } from './hidden-field';

interface LanguageMenuProps {
  languages: { id: string; name: string }[];
  /** The locale of this document. */
  current: string;
  /** The name of the current language, in the language itself. */
  name: string;
  /** The same, with the purpose of the menu, for screen readers. */
  label: string;
  /** The path of this page, where the choice leads back to. */
  page: string;
}

/** The language menu. Each language is a button of one form, so it works without script. */
export function LanguageMenu({ languages, current, name, label, page }: LanguageMenuProps) {
  return (
    <details className="language-menu">
      <summary aria-label={label}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1.5 8h13M8 1.5c-4 4-4 9 0 13 4-4 4-9 0-13m0 0a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13" />
        </svg>
        {name}
      </summary>
      <form method="post" action="/auth/language">
        <HiddenField<{ to: string }> name="to" value={page} />
        <Each of={languages}>
          {({ id, name: own }) => (
            <button
              type="submit"
              name="locale"
              value={id}
              lang={id}
              aria-current={oneOf(id, { [current]: 'true' }, 'false') as 'true' | 'false'}
            >
              {own}
            </button>
          )}
        </Each>
      </form>
    </details>
  );
}
