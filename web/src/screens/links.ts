import { choose, queryValue } from '../lib/template';

/** A screen's path that keeps where the person wanted to go. */
export const withReturn = (path: string, returnTo: string) =>
  choose(returnTo, `${path}?return_to=${queryValue(returnTo)}`, path);
