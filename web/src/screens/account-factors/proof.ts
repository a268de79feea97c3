import type { Trouble } from '../../form/failure';
import { reloadWhenOver } from '../../form/reload-when-over';

/** Loads the page again when the server wants a new proof. The page then leads to it and back. */
export function toProof(trouble: Trouble): boolean {
  const needed = trouble.code === 'factor.missing';
  if (needed) location.reload();
  return needed || reloadWhenOver(trouble);
}
