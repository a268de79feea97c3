import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { BackToApp } from './back';
import { Who } from './portrait';
import { GROUPS, pathOf } from './sections';

/** The way to every section, beside the content of a wide window. It is rendered at build time only. */
export function Rail({ boot, at }: { boot: Boot; at: string }) {
  const { t } = useText();
  const current = (section: string) => (section === at ? { 'aria-current': 'page' as const } : {});
  return (
    <nav aria-label={t('section.pages')}>
      <a className="skip" href="#content">
        {t('section.skip')}
      </a>
      <BackToApp boot={boot} />
      <Who boot={boot} at="rail" />
      <a href="/auth/account" {...current('')}>
        {t('section.back')}
      </a>
      {GROUPS.map(({ name, sections }) => (
        <div key={name}>
          <p id={`rail-${name}`} className="rail-group">
            {t(name)}
          </p>
          <ul aria-labelledby={`rail-${name}`}>
            {sections.map((section) => (
              <When
                key={section.path}
                value={section.setting && section.path !== at ? boot.settings[section.setting] : 'yes'}
              >
                <li>
                  <a href={pathOf(section.path)} {...current(section.path)}>
                    {t(section.name)}
                  </a>
                </li>
              </When>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
