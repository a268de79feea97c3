import type { ReactNode } from 'react';

/**
 * Markup from the server only, so that its code is not part of the scripts. React leaves
 * the content of an element with inner HTML as it is, and never writes this one. Its styles are
 * plain ones: the build drops a module whose classes no script names.
 */
export function Served({
  as: Tag = 'div',
  ...rest
}: {
  as?: 'div' | 'footer';
  className: string;
  /** Rendered at build time only: null in the browser. */
  children: ReactNode;
}) {
  const { children, className } = rest;
  return import.meta.env.SSR ? (
    <Tag className={className}>{children}</Tag>
  ) : (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: an empty constant
    <Tag className={className} dangerouslySetInnerHTML={{ __html: '' }} />
  );
}
