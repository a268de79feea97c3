import { type ComponentProps, useEffect } from 'react';
import { useText } from '../../i18n/provider';
import { Served } from '../../lib/served';
import { Frame } from '../frame';
import './shared.css';
import './account.css'; // plain: most of it is for markup that no script has
import './entries.css';
import { writeLocalTimes } from '../../lib/local-times';
import { announceProof } from './proof';
import { Rail } from './rail';
import { useSignedOut } from './use-signed-out';

interface OwnFrameProps extends ComponentProps<typeof Frame> {
  /** The section of the page, "" for the overview. */
  at: string;
  /** Its fields keep what was typed after a sign-out in another tab, and their forms ask for a sign-in. */
  typed?: boolean;
}

/** The frame of every page of the account: all sections at its side, and the content always at the same height. */
export function OwnFrame({ at, typed = false, ...frame }: OwnFrameProps) {
  const { locale } = useText();
  useSignedOut(typed ? '' : frame.boot.session.id);
  useEffect(announceProof, []);
  useEffect(() => writeLocalTimes(locale)); // after each render: a list may have another entry
  const rail = import.meta.env.SSR ? <Rail boot={frame.boot} at={at} /> : null;
  return <Frame {...frame} rail={<Served className="rail">{rail}</Served>} />;
}
