import { Fragment, type ReactNode } from 'react';

/** A text with an element in place of a placeholder. An operator's text may have it at any place, and more than once. */
export function Split({ words, at, children }: { words: string; at: string; children: ReactNode }) {
  const [before, ...rest] = words.split(at);
  return (
    <>
      {before}
      {rest.map((after, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
        <Fragment key={i}>
          {children}
          {after}
        </Fragment>
      ))}
    </>
  );
}
