import axe from 'axe-core';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

/** Shows a control in the real browser; the last one shown is taken away first. */
export function show(control: ReactNode): HTMLElement {
  document.body.replaceChildren();
  const main = document.createElement('main');
  document.body.append(main);
  flushSync(() => createRoot(main).render(control));
  return main;
}

/** Rules that axe finds broken in what is shown. */
export async function violations(): Promise<string[]> {
  const result = await axe.run(document.body, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  });
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
