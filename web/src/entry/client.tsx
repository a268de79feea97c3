import { hydrateRoot } from 'react-dom/client';
import type { Boot } from '../api/schema.gen';
import { TextProvider } from '../i18n/provider';
import { createText, type Messages } from '../i18n/text';
import { carryFragment } from '../lib/fragment';
import type { Screen } from '../screens/screen';

/**
 * Hydrates a document. The build writes one entry for each screen, which calls this: a
 * visitor loads one screen, by static imports only. Its words in the language of the
 * visitor are part of the document. Without a root the forms work as they are.
 */
export function start({ View }: Screen): void {
  const root = document.getElementById('root');
  const [boot, words] = ['boot', 'words'].map((id) => document.getElementById(id)?.textContent);
  if (!root || !boot || !words) return;
  root.dataset['live'] = ''; // shows the parts that need script; React leaves the attributes of its container alone
  carryFragment();
  const data = JSON.parse(boot) as Boot;
  hydrateRoot(
    root,
    <TextProvider value={createText(data.locale, JSON.parse(words) as Messages)}>
      <View boot={data} />
    </TextProvider>,
  );
}
