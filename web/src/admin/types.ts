import type { AdminEmail, AdminEvent, AdminPeople, AdminPerson, AdminRow } from '../api/schema.gen';

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

export type PlaceName = 'people' | 'record' | 'system';

export interface Page {
  /** The cursor of the next page, absent on the last one. */
  next?: string;
  /** The page has fewer rows because the search had read enough of them. */
  searched?: boolean;
}

export type { AdminEmail as Email, AdminEvent as Happening, AdminPeople as People, AdminRow as Row };
/** Without an end date, the account cannot have one. */
export type Person = AdminPerson & { ends_at?: string };

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
  state: 'waiting' | 'running' | 'done' | 'failed';
  done: number;
  total: number;
  skipped: Skipped[];
  created_at: string;
  by: string;
}

/** What a job would do. */
export interface Trial {
  total: number;
  /** There are more than `total`. */
  more?: boolean;
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
