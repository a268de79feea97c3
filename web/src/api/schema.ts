/** Bodies of the JSON API, as internal/server/api and internal/server/door declare them. */

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
  /** Where the person should be once the code is used. */
  next: string;
}

/** Who is signed in here. */
export interface Current {
  user: { id: string; email: string; name: string };
}

/** One browser that is signed in; times are RFC 3339. */
export interface Device {
  id: string;
  current: boolean;
  /** Such as "Firefox on Linux", "" when unknown. */
  browser: string;
  created_at: string;
  last_seen_at: string;
}

export interface Sessions {
  sessions: Device[];
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
