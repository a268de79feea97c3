import { type ReactNode, useCallback } from 'react';
import type { Boot } from '../api/schema.gen';
import type { Form } from '../form/use-form';
import { useRestoredPage } from '../lib/use-restored-page';
import { AuthPage } from '../ui/auth-page';
import { Announcement, ErrorSummary, Notice } from '../ui/message';
import { PageFooter } from './page-footer';
import { stillHere } from './recheck';

interface FrameProps {
  boot: Boot;
  title: string;
  /** The form whose errors are shown above the content. A screen without one shows its own, or has none. */
  form?: Pick<Form<object>, 'summary' | 'announcement'>;
  above?: ReactNode;
  /** Between the title and the messages. */
  lead?: ReactNode;
  rail?: ReactNode;
  children: ReactNode;
}

/**
 * The parts that all screens have around their content: page, notice, summary and announcement. If the
 * error has the same words as the notice, only the error is shown.
 */
export function Frame({ boot, title, form, above, lead, rail, children }: FrameProps) {
  const signedIn = boot.session.id;
  const recheck = useCallback(async () => {
    const { style } = document.documentElement;
    if (signedIn) style.visibility = 'hidden'; // the user may have signed out, and somebody else look
    if (await stillHere(signedIn, !signedIn)) style.visibility = '';
    else location.reload();
  }, [signedIn]);
  useRestoredPage(recheck);
  const said = form?.summary.words === boot.notice;

  return (
    <AuthPage
      brand={boot.brand}
      title={title}
      above={above}
      rail={rail}
      footer={import.meta.env.SSR ? <PageFooter boot={boot} /> : null}
    >
      {lead}
      <Notice words={said ? '' : boot.notice} />
      {form ? <ErrorSummary {...form.summary} /> : null}
      {children}
      <Announcement words={form?.announcement ?? ''} />
    </AuthPage>
  );
}
