import { hydrateRoot } from 'react-dom/client';
import type { Boot } from '../api/boot';
import { TextProvider } from '../i18n/provider';
import { createText, type Messages } from '../i18n/text';
import { carryFragment } from '../lib/fragment';
import type { Screen } from '../screens/screen';

/**
 * Brings a document to life. The build writes one entry a screen and locale that
 * calls this with the screen's words, so a visitor loads one screen and one
 * language, all by static imports. Without a root there is nothing to do: the forms work as
 * they are.
 */
export function start({ View }: Screen, messages: Messages): void {
  const root = document.getElementById('root');
  const boot = document.getElementById('boot')?.textContent;
  if (!root || !boot) return;
  root.dataset['live'] = ''; // shows what only script can do; React leaves its container alone
  carryFragment();
  const data = JSON.parse(boot) as Boot;
  hydrateRoot(
    root,
    <TextProvider value={createText(data.locale, messages)}>
      <View boot={data} />
    </TextProvider>,
  );
}
