/** The answers of /auth/api/admin. Times are texts of RFC 3339. A time that does not exist is absent or empty. */
export interface Boot {
  brand: { name: string; logo: string };
  /** The administrator who is signed in. */
  user: { id: string; name: string; email: string };
  /** The places that exist in this installation. */
  places: PlaceName[];
  /** Many people can be changed at once, by jobs. */
  bulk?: boolean;
}

export type PlaceName = 'people' | 'invitations' | 'apps' | 'keys' | 'record' | 'system';

export interface Page {
  /** The cursor of the next page, absent on the last one. */
  next?: string;
  /** The page has fewer rows because the search had read enough of them. */
  searched?: boolean;
}

export interface Row {
  id: string;
  address: string;
  name: string;
  state: 'active' | 'disabled' | 'leaving';
  roles: string[];
  factors: { totp: number; passkeys: number; recovery_codes: number };
  created_at: string;
  seen_at?: string;
}

export interface People extends Page {
  people: Row[];
}

interface Way {
  id: string;
  name: string;
  created_at: string;
  used_at: string;
}

interface Limit {
  name: string;
  words: string;
  used: number;
  count: number;
  /** Something is refused until `ends_at`. Otherwise the limit only counts. */
  refuses: boolean;
  ends_at: string;
}

export interface Email {
  id: string;
  template: string;
  state: string;
  answer: string;
  asked_at: string;
  at: string;
  /** It can be sent again. */
  again: boolean;
}

export interface Happening {
  id: string;
  at: string;
  kind: 'event' | 'account' | 'email';
  what: string;
  by: string;
  detail: string;
  network: string;
  browser: string;
  request_id: string;
}

export interface Person extends Omit<Row, 'factors'> {
  password: boolean;
  ends_at?: string;
  erased_at?: string;
  addresses: { address: string; use: string; added_at: string; until: string }[];
  sessions: {
    id: string;
    browser: string;
    network: string;
    place: string;
    methods: string[];
    created_at: string;
    seen_at: string;
    current: boolean;
  }[];
  factors: Way[];
  passkeys: Way[];
  recovery_codes: number;
  browsers: { id: string; browser: string; created_at: string; ends_at: string }[];
  providers: { id: string; name: string; subject: string; created_at: string }[];
  apps: { id: string; name: string; scopes: string[]; created_at: string }[];
  limits: Limit[];
  emails: Email[];
  /** Rules that ask for a role which the account does not have. */
  refusing: { of: string; rule: string; source: string }[];
  /** The newest first. */
  events: Happening[];
}

export interface Fact {
  id: string;
  at: string;
  /** The name of the event. */
  kind: string;
  network?: string;
  browser?: string;
  request_id?: string;
  detail?: string;
  person?: { id: string; address: string; name: string };
  actor: { kind: 'self' | 'operator' | 'admin' | 'key' | 'stranger'; id?: string; name?: string };
}

export interface Facts extends Page {
  facts: Fact[];
}

export interface Skipped {
  id: string;
  address: string;
  reason: string;
}

export interface Job {
  id: string;
  action: string;
  role?: string;
  state: 'running' | 'done' | 'failed';
  /** Why it failed. */
  reason: string;
  done: number;
  total: number;
  /** There are more than `total`. */
  more?: boolean;
  /** How many are skipped. `skipped` names the first ones. */
  skips: number;
  skipped: Skipped[];
  created_at: string;
  by: string;
}

/** What a job would do. */
export interface Trial {
  total: number;
  /** There are more than `total`. */
  more?: boolean;
  skips: number;
  skipped: Skipped[];
}

export interface System {
  version: string;
  commit?: string;
  checks: { name: string; state: 'ok' | 'warning' | 'fault'; words: string }[];
  nodes: { id: string; version: string; started_at: string; seen_at: string }[];
  signing_keys: { id: string; algorithm: string; state: string; created_at: string; ends_at?: string }[];
  mail: {
    waiting: number;
    given_up: number;
    messages: {
      id: string;
      template: string;
      to: string;
      state: string;
      answer?: string;
      asked_at: string;
    }[];
  };
}

export interface Key {
  id: string;
  name: string;
  scopes: string[];
  created_at: string;
  ends_at: string;
  used_at?: string;
  network?: string;
  by: string;
  /** Two while an old secret is still valid after a rotation. */
  secrets: number;
}

export interface Invitation {
  id: string;
  address: string;
  roles: string[];
  state: string;
  answer?: string;
  sent_at: string;
  ends_at: string;
  by: string;
}

export interface Line {
  line: number;
  text: string;
  address?: string;
  verdict: string;
  reason?: string;
}

export interface App {
  id: string;
  name: string;
  kind: 'app' | 'client' | 'registered';
  address: string;
  rules: string[];
  source?: string;
  block?: string;
  created_at?: string;
}
