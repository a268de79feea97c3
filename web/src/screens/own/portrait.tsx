import type { Boot } from '../../api/schema.gen';
import { choose, When } from '../../lib/template';

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

/** The picture with the name, or else the address. It is rendered at build time only. */
export function Who({ boot, at }: { boot: Boot; at: 'own' | 'rail' }) {
  const { name, email } = boot.session;
  return (
    <div className={`${at}-who`}>
      <Portrait boot={boot} />
      <div>
        <When value={name}>
          <p className={`${at}-name`}>{name}</p>
        </When>
        <p className={choose(name, `${at}-mail`, `${at}-name`)}>{email}</p>
      </div>
    </div>
  );
}
