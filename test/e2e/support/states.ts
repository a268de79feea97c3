import { ACCOUNT } from './states/account.js';
import { REST } from './states/after.js';
import { APP } from './states/app.js';
import { BEGINNINGS } from './states/begin.js';
import { CODE } from './states/code.js';
import { FACTOR } from './states/factor.js';
import { LINK } from './states/link.js';
import { BY_SCRIPT } from './states/script.js';
import { SIGN_IN } from './states/signin.js';
import type { State } from './states/state.js';
import { TERMS } from './states/terms.js';

/**
 * Every screen in its main states, reached through the real flows. The name of a state is the name of its
 * screen, with a word for the state behind it. A new screen needs a state here.
 */
export const STATES: State[] = [
  ...SIGN_IN,
  ...BEGINNINGS,
  ...CODE,
  ...LINK,
  ...FACTOR,
  ...BY_SCRIPT,
  ...TERMS,
  ...ACCOUNT,
  ...APP,
  ...REST,
];
