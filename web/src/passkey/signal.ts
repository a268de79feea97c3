/** How authenticators know the account. */
export interface Known {
  rp_id: string;
  user_id: string;
}

/**
 * Tells the authenticators of the browser what has changed, so that they offer no removed passkey
 * and show the right name. Not every browser passes it on.
 */
export async function signalUser({ rp_id, user_id }: Known, email: string, name: string): Promise<void> {
  if (!rp_id || !globalThis.PublicKeyCredential) return;
  await PublicKeyCredential.signalCurrentUserDetails?.({
    rpId: rp_id,
    userId: user_id,
    name: email,
    displayName: name || email,
  }).catch(() => undefined);
}

/** `credentials` are all passkeys of the account that work here: the others disappear. */
export async function signalAccepted({ rp_id, user_id }: Known, credentials: string[]): Promise<void> {
  if (!rp_id || !globalThis.PublicKeyCredential) return;
  await PublicKeyCredential.signalAllAcceptedCredentials?.({
    rpId: rp_id,
    userId: user_id,
    allAcceptedCredentialIds: credentials,
  }).catch(() => undefined);
}
