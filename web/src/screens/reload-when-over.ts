import type { Trouble } from './failure';

const OVER = /^(code\.used|flow\.conflict|link\.(expired|used|replaced|malformed))$/;

/**
 * Loads the document anew when the step has been taken, here with an answer
 * that got lost or in another tab, or the link no longer holds: the server
 * leads on or says what is the matter, while the same press would be refused
 * for ever. Without a flow in its address the document would only lose the words.
 */
export function reloadWhenOver({ code }: Trouble): boolean {
  const over = OVER.test(code) || (code === 'flow.unknown' && location.search.includes('flow='));
  if (over) location.reload();
  return over;
}
