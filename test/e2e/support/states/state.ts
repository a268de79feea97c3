import type { Page } from '@playwright/test';
import type { World } from '../world.js';

/** A state of a screen, and the way to it. */
export interface State {
  name: string;
  reach: (page: Page, world: World) => Promise<unknown>;
}
