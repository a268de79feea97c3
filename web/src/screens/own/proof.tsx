import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { bringIntoSight } from '../../form/effects';
import type { Trouble } from '../../form/failure';
import { GONE, UNPROVEN } from '../../form/reload-when-over';
import { useText } from '../../i18n/provider';
import { oneOf } from '../../lib/template';
import { ButtonLink } from '../../ui/button';
import { Notice } from '../../ui/message';

const CHANNEL = 'portico-proof';
export const MARK = '#proven';

/** The mark of the windows that one form opens. A proof in another window must not send this form: it may be given up. */
export const ownMark = () => MARK + String(Math.random()).slice(2);

/** Opens the window of a new sign-in, or returns null where the browser opens none. */
export const openProof = (page: string) => open(page, '_blank', 'popup,width=480,height=760');

/** In the window of a new sign-in: tells the pages that wait for it, and closes the window. */
export function announceProof(): void {
  const { hash } = location;
  if (!hash.startsWith(MARK)) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  new BroadcastChannel(CHANNEL).postMessage(hash);
  setTimeout(close, 50); // not before the message has left
}

/** Runs when the user has signed in again in another window, with the mark of that window. */
export function useProven(onProven: (mark: string) => void): void {
  const hear = useEffectEvent(onProven);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }) => hear(data);
    return () => channel.close();
  }, []);
}

/** Another object each time that Proof asks. */
export interface Asked {
  /** "yes", or the mark that its window is to have. Proof does not ask with anything else. */
  how: string;
  /** The session has ended, as by a sign-out in another tab. */
  out?: boolean;
}

/** Whether a fault that lacks a proof is about a session that has ended. */
export const isOut = (code: string) => code !== 'proof.needed';

/**
 * Whether Proof asks, which ends with the new sign-in. `ask` begins it for a fault that lacks one, else returns false. It
 * loads a page anew that no longer holds.
 */
export function useAsked(first: string) {
  const [asked, setAsked] = useState<Asked>({ how: first });
  useProven(() => setAsked({ how: '' }));
  const ask = ({ code }: Trouble) => {
    if (GONE.test(code)) location.reload();
    const unproven = UNPROVEN.test(code);
    if (unproven) setAsked({ how: 'yes', out: isOut(code) });
    return unproven;
  };
  return { asked, ask };
}

interface ProofProps {
  asked: Asked;
  path: string;
  /** The form has fields, and the words say that their content stays. */
  typed?: boolean;
  /** The fault of a form that was sent without script and loses what was typed, if it lacked a proof. */
  refused?: string;
}

/**
 * Asks the user to sign in again, in a window beside this page, so that nothing typed is lost.
 * Without script the link opens a tab; the user comes back and sends the form once more.
 */
export function Proof({ asked, path, typed = false, refused = '' }: ProofProps) {
  const { t } = useText();
  const why = typed
    ? oneOf(refused, { 'proof.needed': t('section.confirm') }, t('section.proof'))
    : t('section.confirm');
  const words = asked.out ? `${t('section.signed_out')} ${why}` : why;
  const mark = asked.how.startsWith(MARK) ? asked.how : MARK;
  const page = `/auth/signin?again=1&return_to=${encodeURIComponent(path + mark)}`;
  const link = useLead(asked);
  return (
    <Notice words={words} when={{ value: mark === asked.how ? 'yes' : asked.how, is: 'yes' }}>
      <ButtonLink
        ref={link}
        look="quiet"
        href={page}
        target="_blank"
        onClick={(event) => {
          if (openProof(page)) event.preventDefault();
        }}
      >
        {t('section.prove')}
      </ButtonLink>
    </Notice>
  );
}

/**
 * Leads a user whose press lacks a proof to the words over the link, which may be far from the button, and back to the button
 * after the proof: not to the link itself, which a key that is still down would press. On a page that arrives with them, the
 * words are read in their turn.
 */
function useLead(asked: Asked): RefObject<HTMLAnchorElement | null> {
  const link = useRef<HTMLAnchorElement>(null);
  const first = useRef(asked);
  useEffect(() => {
    const box = link.current?.parentElement;
    if (asked === first.current || !box) return;
    const pressed = document.activeElement as HTMLElement;
    box.tabIndex = -1;
    box.focus({ preventScroll: true });
    bringIntoSight(box);
    return () => {
      if (document.activeElement === document.body) pressed.focus();
    };
  }, [asked]);
  return link;
}
