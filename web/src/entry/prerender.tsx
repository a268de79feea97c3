import { renderToString } from 'react-dom/server';
import type { Boot, ScreenName } from '../api/boot';
import { TextProvider } from '../i18n/provider';
import { createText, type Messages } from '../i18n/text';
import { goTemplate, slots } from '../lib/template';
import { screens } from './screens';

const catalogues = import.meta.glob<Messages>('../i18n/messages/*.json', { import: 'default', eager: true });

/** Every value that a screen can show; the one provider stands for the list. */
const SHAPE: Boot = {
  screen: 'signin',
  locale: '',
  locales: [],
  brand: { name: '', logo: '' },
  policy: { signup: '', name: '', password_min: 0, password_max: 0, code_length: 0, code_minutes: 0 },
  sender: '',
  providers: [{ id: '', name: '', icon: '', last: '' }],
  return_to: '',
  values: { name: '', email: '' },
  errors: {
    form: '',
    code: '',
    request_id: '',
    retry_after: 0,
    fields: { name: '', email: '', password: '', confirm_password: '', code: '' },
  },
  notice: '',
  again: '',
  success: '',
  flow: {
    id: '',
    kind: '',
    address: '',
    email: '',
    sent_at: 0,
    expires_at: 0,
    resend_at: 0,
    now: 0,
    state: '',
    next: '',
  },
  link: { state: '', mark: '', kind: '', address: '', email: '', age: '' },
  session: { id: '', email: '', name: '' },
  status: 0,
  title: '',
  detail: '',
  next: '',
  next_label: '',
};

export const locales = Object.keys(catalogues).map((path) => path.replace(/.*\/|\.json/g, ''));

export const screenNames = Object.keys(screens) as ScreenName[];

/** Title and markup of a screen as React renders them for this boot data. */
export function render(name: ScreenName, locale: string, boot: Boot): { title: string; body: string } {
  const screen = screens[name];
  const text = createText(locale, catalogues[`../i18n/messages/${locale}.json`] ?? {});
  const title = renderToString(screen.title(boot, text));
  const body = renderToString(
    <TextProvider value={text}>
      <screen.View boot={boot} />
    </TextProvider>,
  );
  return { title, body: plainAttributes(body) };
}

/** HTML as people write it: React spells some attributes like its props (autoComplete) and gives boolean ones a value. */
const plainAttributes = (markup: string) =>
  markup
    .replace(/ (?!viewBox)([a-z]+[A-Z]\w*)(?==")/g, (attribute) => attribute.toLowerCase())
    .replace(/ (required|autofocus|readonly)=""/g, ' $1');

/** The same as a Go template that takes the boot data. */
export function renderTemplate(name: ScreenName, locale: string): { title: string; body: string } {
  const { title, body } = render(name, locale, slots(SHAPE) as Boot);
  return { title: goTemplate(title), body: goTemplate(body) };
}
