import type { AdminBoot } from '../api/schema.gen';

/** The data of the document: who is signed in, the brand, and the kinds of events. */
export const boot: AdminBoot = JSON.parse(document.getElementById('boot')?.textContent ?? '{}');
