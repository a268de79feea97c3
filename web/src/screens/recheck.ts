import { request } from '../api/client';
import type { Current } from '../api/schema.gen';

/** Asks the server whether this user is still signed in here. Without an answer it says `unanswered`. */
export async function stillHere(signedIn: string, unanswered = true): Promise<boolean> {
  const answer = await request<Current>('GET', '/auth/api/session');
  const gone = !answer.ok && answer.failure.kind === 'problem' && answer.failure.problem.status === 401;
  if (answer.ok) return answer.value.user.id === signedIn;
  return gone ? !signedIn : unanswered;
}
