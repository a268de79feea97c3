/** A name of the code, as "sign-in-code", for a kind that this page does not know. */
export const readable = (name: string) => name.replace(/^./, (c) => c.toUpperCase()).replaceAll(/[-_]/g, ' ');

export const eventFailed = (name: string) =>
  /failed|throttled|refused|suspect|held|replayed|reused/.test(name);

/** Whether a line is about something that went wrong. */
export const failed = ({ kind, what, detail }: Record<'kind' | 'what' | 'detail', string>) =>
  kind === 'email' ? mailFailed(detail) : eventFailed(what);

/** Whether an email will not arrive, by the states of outbox.State. */
export const mailFailed = (state: string) => /^(given up|too late)/.test(state);
