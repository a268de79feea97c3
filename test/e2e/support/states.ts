import { BY_SCRIPT } from './states/script.js';
import type { State } from './states/state.js';
import { TYPING } from './states/typing.js';

/**
 * States that only script makes, reached through the real flows. The name of a state is the name of its screen, with a
 * word for the state behind it. The states that the server makes are in web/fixtures/states.mjs.
 */
export const STATES: State[] = [...TYPING, ...BY_SCRIPT];
