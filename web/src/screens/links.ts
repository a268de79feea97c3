import { choose, queryValue } from '../lib/template';

/** The path of a screen, with the return target of this one. */
export const withReturn = (path: string, returnTo: string) =>
  choose(returnTo, `${path}?return_to=${queryValue(returnTo)}`, path);
