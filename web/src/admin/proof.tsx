import { useEffect, useRef, useSyncExternalStore } from 'react';
import { MARK, openProof, useProven } from '../screens/own/proof';
import { Button } from '../ui/button';

type Waiting = { code: string; done: (proven: boolean) => void };

let waiting: Waiting[] = [];
const listeners = new Set<() => void>();

function set(next: Waiting[]) {
  waiting = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Asks the administrator for a new sign-in. It resolves to false if they cancel. */
export const askProof = (code: string): Promise<boolean> =>
  new Promise((done) => set([...waiting, { code, done }]));

function settle(proven: boolean) {
  const all = waiting;
  set([]);
  for (const { done } of all) done(proven);
}

/**
 * The window over everything else that asks for the sign-in, which happens in a browser window of its own. After a
 * sign-out it covers the page, which somebody else may see, and who cancels it goes on only with what was typed in a window.
 */
export function ProofDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const all = useSyncExternalStore(subscribe, () => waiting);
  const asked = (all.find(({ code }) => code !== 'proof.needed') ?? all[0])?.code;
  useProven(() => settle(true));
  useEffect(() => {
    if (asked && !dialog.current?.open) dialog.current?.showModal();
    if (!asked) dialog.current?.close();
  }, [asked]);
  const ended = asked !== 'proof.needed';
  const here = encodeURIComponent(`${location.pathname}${MARK}`);
  const cancel = () => {
    settle(false);
    if (ended && document.querySelectorAll('dialog[open]').length < 2) location.reload();
  };
  const page = `/auth/${ended ? 'signin' : 'mfa'}?return_to=${here}`;
  return (
    <dialog
      ref={dialog}
      className={ended ? 'confirm ask ended' : 'confirm ask'}
      aria-labelledby="proof-title"
      aria-describedby="proof-says"
      onCancel={cancel}
    >
      <h2 id="proof-title">{ended ? 'Sign in again' : 'Confirm it’s you'}</h2>
      <p id="proof-says" className="ask-says">
        {ended
          ? 'Your session has ended. Sign in again in a window, and this page goes on where it is.'
          : 'This needs your second factor or passkey again. A window asks for it, and what you have entered here stays.'}
      </p>
      <div className="confirm-actions">
        <Button type="button" onClick={() => openProof(page) ?? location.assign(page)}>
          {ended ? 'Sign in' : 'Continue'}
        </Button>
        <Button type="button" look="secondary" onClick={cancel}>
          Cancel
        </Button>
      </div>
    </dialog>
  );
}
