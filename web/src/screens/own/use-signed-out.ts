import { useCallback } from 'react';
import { useReturn } from '../../lib/use-return';
import { stillHere } from '../recheck';

/** After a sign-out in another tab, this page must not show the account any longer. Without an account it stays as it is. */
export function useSignedOut(account: string): void {
  useReturn(
    useCallback(async () => {
      if (account && !(await stillHere(account))) location.reload();
    }, [account]),
  );
}
