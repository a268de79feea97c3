import { useEffect } from 'react';
import type { Boot } from '../../api/schema.gen';
import { signalUser } from '../../passkey/signal';

/** Tells the authenticators of the browser the name and the address of the account. */
export function useUserSignal({ passkeys, session }: Boot): void {
  const { rp_id, user_id } = passkeys;
  const { email, name } = session;
  useEffect(() => void signalUser({ rp_id, user_id }, email, name), [rp_id, user_id, email, name]);
}
