import type { Trouble } from './failure';

/** Faults that signing in again removes. */
export const UNPROVEN = /^(proof\.needed|session\.(required|ended))$/;

/** Faults of a page that shows what no longer holds. Loaded again, it leads on or says why. */
export const GONE =
  /^(account\.changed|alarm\.(over|done)|code\.used|factor\.(missing|used_up)|flow\.(conflict|unknown)|link\.(changed|expired|used|replaced|malformed)|signup\.closed)$/;

/** Loaded again, a page whose step needs a new proof or a sign-in leads to that and back, too. */
const OVER = new RegExp(`${GONE.source}|${UNPROVEN.source}`);

/** Faults that only a page with a flow in its URL shows when it loads again. Another one would lose its error. */
const OF_FLOW = /^(flow\.unknown|factor\.used_up)$/;

/**
 * Reloads the document when the step has already been taken or the link has expired.
 * The server then leads on or says why, and every further press would be refused.
 * The step may have been taken in another tab, or its response was lost.
 */
export function reloadWhenOver({ code }: Trouble): boolean {
  const over = OVER.test(code) && (!OF_FLOW.test(code) || location.search.includes('flow='));
  if (over) location.reload();
  return over;
}

/**
 * Sends the form to its own page when the terms, the account or the use of the form have changed since the
 * page was loaded, or nobody may sign up as it says. The server answers with the page of now, which says so, and keeps
 * what may be kept of what was typed.
 */
export function postWhenChanged({ code }: Trouble, form: HTMLFormElement): boolean {
  const changed = /^(terms\.changed|account\.changed|token\.form|signup\.(invitation_over|uninvited))$/.test(
    code,
  );
  if (changed) form.submit();
  return changed;
}

/** postWhenChanged for a step after the form, also when the address can get no account any more. */
export function postWhenEnded(trouble: Trouble, form: HTMLFormElement): boolean {
  const ended = /^signup\.(domain|taken)$/.test(trouble.code);
  if (ended) form.submit();
  return ended || postWhenChanged(trouble, form);
}
