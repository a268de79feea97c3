import { hydrateRoot } from 'react-dom/client';
import type { Boot } from '../api/schema.gen';
import { TextProvider } from '../i18n/provider';
import { createText, type Messages } from '../i18n/text';
import { carryFragment } from '../lib/fragment';
import type { Screen } from '../screens/screen';

/**
 * Brings a document to life. The build writes one entry a screen that calls this,
 * so a visitor loads one screen, all by static imports; its words in the
 * visitor's language stand in the document. Without a root there is nothing to
 * do: the forms work as they are.
 */
export function start({ View }: Screen): void {
  const root = document.getElementById('root');
  const [boot, words] = ['boot', 'words'].map((id) => document.getElementById(id)?.textContent);
  if (!root || !boot || !words) return;
  root.dataset['live'] = ''; // shows what only script can do; React leaves its container alone
  carryFragment();
  const data = JSON.parse(boot) as Boot;
  hydrateRoot(
    root,
    <TextProvider value={createText(data.locale, JSON.parse(words) as Messages)}>
      <View boot={data} />
    </TextProvider>,
  );
}
