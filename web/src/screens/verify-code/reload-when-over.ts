import type { Trouble } from '../failure';

/**
 * Loads the document anew when the step has been taken, here with an answer
 * that got lost or in another tab: the server leads on or says that it is done,
 * while another code or another press would be refused for ever.
 */
export function reloadWhenOver({ code }: Trouble): boolean {
  const over = code === 'code.used' || code === 'flow.conflict';
  if (over) location.reload();
  return over;
}
