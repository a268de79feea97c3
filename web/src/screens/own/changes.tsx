import type { ReactNode } from 'react';
import type { Boot } from '../../api/schema.gen';
import { Unless } from '../../lib/template';

/** The forms of a page that changes how the account is signed in to: none while an alarm closes it. The notice says why. */
export const Changes = ({ boot, children }: { boot: Boot; children: ReactNode }) => (
  <Unless value={boot.again} is="closed">
    {children}
  </Unless>
);
