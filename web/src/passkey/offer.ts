import { request } from '../api/client';
import type { Failure } from '../api/problem';
import type { Next, PasskeyAsk } from '../api/schema.gen';
import { go } from '../lib/fragment';
import { bytesOf, textOf } from './bytes';

/** Before the challenge ends, which is after five minutes. */
const RENEW_MS = 270_000;

type Trouble = Failure | 'cancelled' | 'unsupported';

export interface OfferOptions {
  /** More fields of the API operation: where to go afterwards, and what the passkey is given for. */
  body: { return_to: string; flow: string; second?: string };
  /** The field in whose menu the browser shows passkeys. */
  field: HTMLInputElement | null;
  onBusy: (busy: boolean) => void;
  onTrouble: (trouble: Trouble) => void;
}

export interface Offer {
  /** Offers passkeys in the menu of the field, until one is chosen. */
  arm: () => Promise<void>;
  /** Offers them again, if this tab is in sight and the last challenge has failed or is old. */
  renew: () => void;
  /** Asks for a passkey in a dialog of the browser. */
  press: () => Promise<void>;
  stop: () => void;
}

/** Signs in with a passkey. The form with the password keeps working meanwhile. */
export function offerOf({ body, field, onBusy, onTrouble }: OfferOptions): Offer {
  let pending: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When an offer needs another challenge. Timers stand still while a laptop sleeps. */
  let due = 0;

  /** The token `webauthn` stands in the field only while an offer is pending. */
  const plain = () => field?.setAttribute('autocomplete', 'username');

  const stop = () => {
    clearTimeout(timer);
    pending?.abort();
    pending = undefined;
    plain();
  };

  /**
   * Runs one request for a passkey, which ends the one before. It is over without a word
   * when a newer one has begun.
   */
  const run = async (mediation: CredentialMediationRequirement): Promise<'going' | 'refused' | 'over'> => {
    stop();
    const mine = new AbortController();
    pending = mine;
    due = Number.POSITIVE_INFINITY;
    const tell = (trouble: Trouble): 'over' => {
      if (mine.signal.aborted) return 'over';
      plain();
      due = 0;
      if (mediation !== 'conditional') onTrouble(trouble);
      return 'over';
    };
    const asked = await request<PasskeyAsk>('POST', '/auth/api/passkey/ask', {});
    if (mine.signal.aborted) return 'over';
    if (!asked.ok) return tell(asked.failure);
    const { challenge, rp_id: rpId, timeout } = asked.value;
    if (mediation === 'conditional') {
      due = Date.now() + RENEW_MS;
      timer = setTimeout(renew, RENEW_MS + 1000); // a clock that is being set may run slower
      field?.setAttribute('autocomplete', 'username webauthn');
    }
    try {
      const found = await navigator.credentials.get({
        mediation,
        signal: mine.signal,
        publicKey: { challenge: bytesOf(challenge), rpId, timeout, userVerification: 'required' },
      });
      return found ? await signIn(found as PublicKeyCredential, rpId) : tell('unsupported');
    } catch (error) {
      return tell((error as Error).name === 'NotAllowedError' ? 'cancelled' : 'unsupported');
    }
  };

  const signIn = async ({ id, response }: PublicKeyCredential, rpId: string) => {
    const given = response as AuthenticatorAssertionResponse;
    onBusy(true);
    const answer = await request<Next>('POST', '/auth/api/passkey', {
      ...body,
      credential: id,
      client_data: textOf(given.clientDataJSON),
      authenticator_data: textOf(given.authenticatorData),
      signature: textOf(given.signature),
      user_handle: textOf(given.userHandle),
    });
    if (answer.ok) {
      go(answer.value.next); // stays busy until the next page loads
      return 'going' as const;
    }
    onBusy(false);
    onTrouble(answer.failure);
    if (answer.failure.kind === 'problem' && answer.failure.problem.code === 'passkey.unknown') {
      await PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId: id }).catch(() => undefined);
    }
    return 'refused' as const;
  };

  const arm = async () => {
    const before = pending; // a press may begin meanwhile, or another call: coming back is two events
    if (!field || !(await PublicKeyCredential.isConditionalMediationAvailable?.()) || pending !== before)
      return;
    while ((await run('conditional')) === 'refused'); // each time, the user has chosen another passkey
  };

  const renew = () => {
    if (!document.hidden && Date.now() >= due) void arm();
  };

  const press = async () => {
    onBusy(true);
    if ((await run('optional')) === 'going') return;
    onBusy(false);
    await arm();
  };

  return { arm, renew, press, stop };
}
