import { renderToString } from 'react-dom/server';
import type { Boot } from '../api/schema.gen';
import { SHAPE } from '../api/shape.gen.mjs';
import { MARKED, marks } from '../i18n/marks';
import { TextProvider } from '../i18n/provider';
import { createText, type Messages, RIGHT_TO_LEFT } from '../i18n/text';
import { tabTitle } from '../lib/tab-title';
import { choose, goTemplate, slots } from '../lib/template';
import { COMPONENTS } from '../screens/own/components';
import { screens } from './screens';

export { MARKED };

type ScreenName = Boot['screen'];

const catalogues = import.meta.glob<Messages>('../i18n/messages/*.json', { import: 'default', eager: true });

export const locales = Object.keys(catalogues).map((path) => path.replace(/.*\/|\.json/g, ''));

export const rightToLeft = (locale: string) => RIGHT_TO_LEFT.has(locale);

export const screenNames = Object.keys(screens) as ScreenName[];

const catalogue = (locale: string) => catalogues[`../i18n/messages/${locale}.json`] ?? {};

/** The texts of a locale, or marks in place of them. The server takes the isolation of values out where it is not needed. */
const textOf = (locale: string) =>
  locale === MARKED
    ? createText(MARKED, marks(catalogue('en')), true)
    : createText(locale, { ...catalogue('en'), ...catalogue(locale) });

/** Renders the title and the markup of a screen for this boot data. */
export function render(name: ScreenName, locale: string, boot: Boot): { title: string; body: string } {
  const screen = screens[name];
  const text = textOf(locale);
  const heading = screen.title(boot, text);
  const tab = name.startsWith('account') ? tabTitle(heading, boot.brand) : heading;
  // A page that comes back with an error says so first. The title of the error page is one already.
  const wrong = name === 'error' ? tab : choose(boot.errors.code, `${text.t('common.error')} ${tab}`, tab);
  const title = renderToString(wrong);
  const body = renderToString(
    <TextProvider value={text}>
      <screen.View boot={boot} />
    </TextProvider>,
  );
  return { title, body: plainAttributes(body) };
}

/**
 * Writes attributes as HTML does. React spells some like its props (autoComplete) and gives
 * boolean attributes a value.
 */
const plainAttributes = (markup: string) =>
  markup
    .replace(/ (?!viewBox)([a-z]+[A-Z]\w*)(?==")/g, (attribute) => attribute.toLowerCase())
    .replace(/ (required|autofocus|readonly)=""/g, ' $1');

/** The markup of each group of components, by its name. */
export const renderComponents = () =>
  Object.entries(COMPONENTS).map(([name, examples]) => {
    const body = renderToString(<TextProvider value={textOf('en')}>{examples}</TextProvider>);
    return { name, body: plainAttributes(body) };
  });

/** Renders a screen as a Go template that takes the boot data. With MARKED in place of a locale, it has marks as texts. */
export function renderTemplate(name: ScreenName, locale: string): { title: string; body: string } {
  const { title, body } = render(name, locale, slots(SHAPE) as Boot);
  return { title: goTemplate(title), body: goTemplate(body) };
}
