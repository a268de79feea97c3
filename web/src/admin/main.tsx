import { QueryClientProvider } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import { announceProof } from '../screens/own/proof';
import { stillHere } from '../screens/recheck';
import '../screens/own/shared.css';
import '../screens/own/entries.css';
import { ErrorSummary } from '../ui/message';
import { personId, place } from './address';
import { queries } from './api';
import { AskProvider } from './ask';
import { boot } from './boot';
import { keepFocus } from './focus';
import { Head, type PlaceName, Shell } from './shell';
import './admin.css';
import './table.css';

const PLACES: Record<PlaceName, () => Promise<{ Place: ComponentType }>> = {
  people: () => {
    if (personId) return import('./person');
    return new URLSearchParams(location.search).has('import') ? import('./importing') : import('./people');
  },
  invitations: () => import('./invitations'),
  apps: () => import('./apps'),
  keys: () => import('./keys'),
  record: () => import('./record'),
  system: () =>
    new URLSearchParams(location.search).has('webhook') ? import('./webhook') : import('./system'),
};

/** In place of one whose file did not come: the connection broke, or Portico is another version now. */
const Missing = () => (
  <>
    <Head title="This page didn’t load" />
    <ErrorSummary
      words="Check the connection, and reload the page."
      retry={{ label: 'Reload', onRetry: () => location.reload() }}
    />
  </>
);

/** Hides a page that Back shows as it was left until the server has said that the administrator is still signed in. */
async function recheck() {
  const { style } = document.documentElement;
  style.visibility = 'hidden';
  if (await stillHere(boot.user.id, false)) style.visibility = '';
  else location.reload();
}

/** Draws the place that the path names. The style of all places is in the document. */
async function start() {
  announceProof();
  keepFocus();
  addEventListener('pageshow', ({ persisted }) => persisted && void recheck());
  const root = document.getElementById('root');
  if (!root) return;
  const at = (Object.keys(PLACES) as PlaceName[]).find((name) => name === place) ?? 'people';
  const { Place } = await PLACES[at]().catch(() => ({ Place: Missing }));
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <Shell at={at}>
        <AskProvider>
          <Place />
        </AskProvider>
      </Shell>
    </QueryClientProvider>,
  );
}

void start();
