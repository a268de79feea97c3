import type { Boot } from '../../api/schema.gen';
import { When } from '../../lib/template';

/** The picture of the user, or letters in its place. The name or the address stands beside it. */
export function Portrait({ boot: { account } }: { boot: Boot }) {
  const letters = (
    <span className="portrait" aria-hidden="true">
      {account.initials}
    </span>
  );
  // Lazy, or React would name the picture in the head of the template, also where there is none.
  return (
    <When value={account.picture} otherwise={letters}>
      <img className="portrait" src={account.picture} alt="" width="64" height="64" loading="lazy" />
    </When>
  );
}
