import type { Page } from '@playwright/test';

interface Problem {
  status: number;
  code: string;
  retry_after?: number;
  request_id?: string;
}

/** Answers the next call of an API operation with a problem, as an overloaded or broken server would. */
export async function answerWith(page: Page, operation: string, problem: Problem): Promise<void> {
  const empty = { type: 'about:blank', title: '', params: {}, fields: [], retry_after: 0, request_id: '' };
  await page.route(
    `**/auth/api/${operation}`,
    (route) =>
      route.fulfill({
        status: problem.status,
        contentType: 'application/problem+json',
        json: { ...empty, ...problem },
      }),
    { times: 1 },
  );
}
