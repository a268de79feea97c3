/** Bodies of the JSON API, as internal/server/api declares them. */

/** Where the person goes next: a path on this origin. */
export interface Next {
  next: string;
}

export interface Resent extends Next {
  flow: FlowState;
}

/** A pending flow; times are epoch seconds, `now` is the server's. */
export interface FlowState {
  id: string;
  kind: '' | 'signup' | 'recovery';
  address: string;
  email: string;
  sent_at: number;
  expires_at: number;
  resend_at: number;
  now: number;
  state: '' | 'code' | 'used_up' | 'expired' | 'done';
}

export interface CurrentSession {
  user: { id: string; email: string; name: string };
  session: { id: string };
}

/** One browser that is signed in. */
export interface SessionEntry {
  id: string;
  current: boolean;
  created_at: number;
  last_seen_at: number;
  user_agent: string;
}

export interface SessionList {
  sessions: SessionEntry[];
}

/** RFC 9457 with our members. */
export interface Problem {
  status: number;
  code: string;
  params: Params;
  fields: { name: string; code: string; params: Params }[];
  retry_after: number;
  request_id: string;
}

export type Params = Record<string, string>;
