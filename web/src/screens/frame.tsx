import { type ReactNode, useCallback } from 'react';
import { request } from '../api/client';
import type { Boot, Current } from '../api/schema.gen';
import type { Summary } from '../form/use-form';
import { useRestoredPage } from '../lib/use-restored-page';
import { AuthPage } from '../ui/auth-page';
import { Announcement, ErrorSummary, Notice } from '../ui/message';
import { PageFooter } from './page-footer';

interface FrameProps {
  boot: Boot;
  title: string;
  /** The summary of the form on the screen. A screen without a form has nothing to announce. */
  summary?: Summary;
  announcement?: string;
  above?: ReactNode;
  children: ReactNode;
}

/** The parts that all screens have around their content: page, notice, summary and announcement. */
export function Frame({ boot, title, summary, announcement = '', above, children }: FrameProps) {
  const signedIn = boot.session.id;
  const recheck = useCallback(async () => {
    const answer = await request<Current>('GET', '/auth/api/session');
    const gone = !answer.ok && answer.failure.kind === 'problem' && answer.failure.problem.status === 401;
    if (answer.ok ? answer.value.user.id !== signedIn : gone && signedIn) location.reload();
  }, [signedIn]);
  useRestoredPage(recheck);

  return (
    <AuthPage
      brand={boot.brand}
      title={title}
      above={above}
      footer={import.meta.env.SSR ? <PageFooter boot={boot} /> : null}
    >
      <Notice words={boot.notice} />
      {summary ? <ErrorSummary {...summary} /> : null}
      {children}
      <Announcement words={announcement} />
    </AuthPage>
  );
}
