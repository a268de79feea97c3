import { type ReactNode, useEffect } from 'react';
import type { Boot } from '../../api/schema.gen';
import type { Form } from '../../form/use-form';
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
  children: ReactNode;
}

/** A section of the account: the way back to all sections, and what the step before did. */
export function OwnPage({ boot, at, title, form, children }: OwnPageProps) {
  useEffect(() => {
    // what the press before has done is read first, and Tab goes on from there
    if (boot.success && document.activeElement === document.body)
      document.querySelector<HTMLElement>('.success-box')?.focus({ preventScroll: true });
  }, [boot.success]);
  const back = import.meta.env.SSR ? <Back /> : null;
  return (
    <OwnFrame boot={boot} at={at} title={title} {...form} above={<Served className="back">{back}</Served>}>
      <Success words={boot.success} />
      {children}
    </OwnFrame>
  );
}
