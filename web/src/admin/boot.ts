import type { Boot } from './types';

const NONE: Boot = {
  brand: { name: '', logo: '' },
  user: { id: '', name: '', email: '' },
  places: ['people'],
  events: [],
};

/** The data of the document: who is signed in, and what exists here. */
export const boot: Boot = {
  ...NONE,
  ...JSON.parse(document.getElementById('boot')?.textContent ?? '{}'),
};
