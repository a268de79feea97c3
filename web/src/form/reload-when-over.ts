import type { Trouble } from './failure';

const OVER =
  /^(proof\.needed|session\.(required|ended)|code\.used|flow\.conflict|signup\.closed|link\.(expired|used|replaced|malformed))$/;

/**
 * Reloads the document when the step has already been taken or the link has expired.
 * The server then leads on or says why, and every further press would be refused.
 * The step may have been taken in another tab, or its response was lost. A page whose step needs
 * a new proof or a sign-in leads to that and back. A flow that is
 * unknown reloads only a document with a flow in its URL: another would only lose its error.
 */
export function reloadWhenOver({ code }: Trouble): boolean {
  const over = OVER.test(code) || (code === 'flow.unknown' && location.search.includes('flow='));
  if (over) location.reload();
  return over;
}
