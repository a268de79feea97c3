import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { choose, Each, When } from '../../lib/template';
import { Who } from '../own/portrait';
import { GROUPS, pathOf } from '../own/sections';

/** What the overview shows of the account. It is rendered at build time only. */
export function Sections({ boot }: { boot: Boot }) {
  return (
    <>
      <Who boot={boot} at="own" />
      <Alerts boot={boot} />
      <Groups boot={boot} />
    </>
  );
}

function Alerts({ boot: { account } }: { boot: Boot }) {
  const { t } = useText();
  return (
    <When value={account.alerts}>
      <ul className="alerts" aria-label={t('account.attention')}>
        <Each of={account.alerts}>
          {({ text, page }) => (
            <li>
              <a href={page}>
                <Icon path="M10 3l7.5 13.5h-15zM10 8v3.7M10 13.8v.4" />
                <span>{text}</span>
              </a>
            </li>
          )}
        </Each>
      </ul>
    </When>
  );
}

function Groups({ boot: { account, settings } }: { boot: Boot }) {
  const { t } = useText();
  return (
    <nav aria-label={t('account.sections')}>
      {GROUPS.map(({ name, sections }) => (
        <div key={name}>
          <h2>{t(name)}</h2>
          <ul>
            {sections.map(({ path, name, icon, state, about, setting }) => (
              <When key={path} value={setting ? settings[setting] : 'yes'}>
                <li className="section">
                  <Icon path={icon} />
                  <div>
                    <a href={pathOf(path)}>{t(name)}</a>
                    <p
                      className={
                        path === 'factors' ? choose(account.states.weak, 'state weak', 'state') : 'state'
                      }
                    >
                      {about ? t(about) : null}
                      {state ? account.states[state] : null}
                    </p>
                  </div>
                </li>
              </When>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

const Icon = ({ path }: { path: string }) => (
  <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={path} />
  </svg>
);
