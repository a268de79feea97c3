import { type ReactNode, useEffect } from 'react';
import type { Boot } from '../../api/schema.gen';
import type { Form } from '../../form/use-form';
import { findChanged, keepRows } from '../../lib/changed-row';
import { Served } from '../../lib/served';
import { Success } from '../../ui/success';
import { Back } from './back';
import { OwnFrame } from './own-frame';

interface OwnPageProps {
  boot: Boot;
  /** The section, as its path names it. */
  at: string;
  title: string;
  /** The forms of the page, whose errors are shown above its content. */
  form?: Pick<Form<object>, 'summary' | 'announcement'>;
  /** Beside the words about the step before: a button that undoes it. */
  undo?: ReactNode;
  children: ReactNode;
}

/** What the press before has done is read first, and Tab goes on from there: at its entry, or else at the words about it. */
function showChange(): void {
  const said = document.querySelector<HTMLElement>('.success-box');
  const { row, gone } = findChanged();
  if (row && said) {
    said.id = 'success';
    row.tabIndex = -1;
    row.setAttribute('aria-describedby', said.id);
    row.classList.toggle('changed', !gone);
  }
  const shown = row ?? said;
  shown?.focus({ preventScroll: true });
  shown?.scrollIntoView({ block: 'nearest' });
}

/** A section of the account: the way back to all sections, and what the step before did. */
export function OwnPage({ boot, at, title, form, undo, children }: OwnPageProps) {
  useEffect(() => {
    if (boot.success && document.activeElement === document.body) showChange();
    return keepRows();
  }, [boot.success]);
  const back = import.meta.env.SSR ? <Back /> : null;
  return (
    <OwnFrame boot={boot} at={at} title={title} {...form} above={<Served className="back">{back}</Served>}>
      <Success words={boot.success}>{undo}</Success>
      {children}
    </OwnFrame>
  );
}
