import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import type { Form } from '../../form/use-form';
import { findChanged, keepRows } from '../../lib/changed-row';
import { Served } from '../../lib/served';
import { Success } from '../../ui/success';
import { Back } from './back';
import { OwnFrame } from './own-frame';
import { Refused } from './refused';

interface OwnPageProps
  extends Omit<ComponentProps<typeof OwnFrame>, 'above' | 'form' | 'lead' | 'rail' | 'typed'> {
  form?: Form<object>;
  /** Beside the words about the step before: a button that undoes it. */
  undo?: ReactNode;
  /** The step before was that of another form, so the words about it stay when this one is refused. */
  apart?: boolean;
}

/** What the press before has done is read first, and Tab goes on from there: at its entry, or else at the words about it. */
function showChange(): void {
  const said = document.querySelector<HTMLElement>('.success-box');
  const { row, gone, keyed } = findChanged();
  if (row && said) {
    said.id = 'success';
    row.tabIndex = -1;
    row.setAttribute('aria-describedby', said.id);
    row.classList.toggle('changed', !gone);
    row.classList.toggle('keyed', keyed); // a browser shows the focus on a new page to everybody
  }
  const shown = row ?? said;
  shown?.focus({ preventScroll: true });
  shown?.scrollIntoView({ block: 'nearest' });
}

/** A section of the account: the way back to all sections, and what the step before did. */
export function OwnPage({ undo, apart, children, ...frame }: OwnPageProps) {
  const { success, tokens } = frame.boot;
  const trouble = frame.form?.trouble;
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (trouble?.form || Object.values(trouble?.fields ?? {}).some(Boolean)) setOver(true);
  }, [trouble]);
  const typed = Boolean(frame.form) || frame.at === 'passkeys';
  useEffect(() => {
    if (success && document.activeElement === document.body) showChange();
    return keepRows();
  }, [success]);
  const back = import.meta.env.SSR ? <Back /> : null;
  return (
    <OwnFrame {...frame} typed={typed && !tokens.made} above={<Served className="back">{back}</Served>}>
      {frame.form ? null : <Refused boot={frame.boot} />}
      <Success words={over && !apart ? '' : success}>{undo}</Success>
      {children}
    </OwnFrame>
  );
}
