import { request } from '../api/client';
import type { Failure } from '../api/problem';
import type { Next, PasskeyOffer } from '../api/schema.gen';
import { bytesOf, textOf } from './bytes';

type Made = { next: string } | { trouble: Failure | 'cancelled' | 'held' | 'unsupported' };

/** The errors of browsers, each in one word. */
const TROUBLE: Record<string, 'cancelled' | 'held'> = {
  NotAllowedError: 'cancelled',
  InvalidStateError: 'held',
};

/** The account of the session, or the flow of a sign-in that has no session yet. */
type Whose = { account: string } | { flow: string };

/** The API operations that add a passkey: to the account of the session, at a sign-up, and as a required second factor. */
type Path = '/auth/api/account/passkeys' | '/auth/api/signup/passkey' | '/auth/api/protect/passkey';

/**
 * Makes a passkey on an authenticator and adds it to the account. With `quiet` the browser does not
 * ask its user: it makes the passkey at once, or refuses.
 */
export async function createPasskey(path: Path, owner: Whose, quiet?: AbortSignal): Promise<Made> {
  if (!globalThis.PublicKeyCredential) return { trouble: 'unsupported' };
  const whose = quiet ? { ...owner, quiet: 'yes' } : owner;
  const offered = await request<PasskeyOffer>('POST', `${path}/begin`, whose);
  if (!offered.ok) return { trouble: offered.failure };
  const { value: o } = offered;
  let made: PublicKeyCredential;
  try {
    made = (await navigator.credentials.create({
      ...(quiet ? { mediation: 'conditional', signal: quiet } : {}),
      publicKey: {
        challenge: bytesOf(o.challenge),
        rp: { id: o.rp_id, name: o.rp_name },
        user: { id: bytesOf(o.user_id), name: o.user_name, displayName: o.user_display_name },
        pubKeyCredParams: o.algorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout: o.timeout,
        attestation: 'none',
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: quiet ? 'preferred' : 'required',
        },
        excludeCredentials: o.exclude.map(({ credential, transports }) => ({
          type: 'public-key',
          id: bytesOf(credential),
          transports: transports as AuthenticatorTransport[],
        })),
      },
    })) as PublicKeyCredential;
  } catch (error) {
    return { trouble: TROUBLE[(error as Error).name] ?? 'unsupported' };
  }
  const response = made.response as AuthenticatorAttestationResponse;
  const answer = await request<Next>('POST', path, {
    ...whose,
    credential: made.id,
    client_data: textOf(response.clientDataJSON),
    attestation: textOf(response.attestationObject),
    transports: response.getTransports?.().join(' ') ?? '',
  });
  return answer.ok ? answer.value : { trouble: answer.failure };
}

/** Adds a passkey without asking, where the browser can do so after it has filled in a saved password. */
export async function createQuietly(account: string, signal: AbortSignal): Promise<boolean> {
  const can = await globalThis.PublicKeyCredential?.getClientCapabilities?.();
  if (!can?.conditionalCreate || signal.aborted) return false;
  return 'next' in (await createPasskey('/auth/api/account/passkeys', { account }, signal));
}
