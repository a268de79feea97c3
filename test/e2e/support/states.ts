import { REST } from './states/after.js';
import { BEGINNINGS } from './states/begin.js';
import { CODE } from './states/code.js';
import { LINK } from './states/link.js';
import { SIGN_IN } from './states/signin.js';
import type { State } from './states/state.js';
import { TERMS } from './states/terms.js';

/** Every screen in its main states, reached through the real flows. */
export const STATES: State[] = [...SIGN_IN, ...BEGINNINGS, ...CODE, ...LINK, ...TERMS, ...REST];
