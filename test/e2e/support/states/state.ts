import type { Page } from '@playwright/test';
import type { World } from '../world.js';

/** How a person gets a page into a state that is worth looking at. */
export interface State {
  name: string;
  reach: (page: Page, world: World) => Promise<unknown>;
}
