import type { Trouble } from '../../form/failure';
import { reloadWhenOver } from '../../form/reload-when-over';

const NEEDED = /^(session\.(required|ended)|factor\.missing)$/;

/** Loads the page again when the server wants a new proof. The page then leads to it and back. */
export function toProof(trouble: Trouble): boolean {
  const needed = NEEDED.test(trouble.code);
  if (needed) location.reload();
  return needed || reloadWhenOver(trouble);
}
