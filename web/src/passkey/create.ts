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

/** Makes a passkey on an authenticator and adds it to the account. */
export async function createPasskey(account: string): Promise<Made> {
  const offered = await request<PasskeyOffer>('POST', '/auth/api/account/passkeys/begin', { account });
  if (!offered.ok) return { trouble: offered.failure };
  const { value: o } = offered;
  let made: PublicKeyCredential;
  try {
    made = (await navigator.credentials.create({
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
          userVerification: 'required',
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
  const answer = await request<Next>('POST', '/auth/api/account/passkeys', {
    account,
    credential: made.id,
    client_data: textOf(response.clientDataJSON),
    attestation: textOf(response.attestationObject),
    transports: response.getTransports?.().join(' ') ?? '',
  });
  return answer.ok ? answer.value : { trouble: answer.failure };
}
