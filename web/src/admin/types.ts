import type {
  AdminEmail,
  AdminEvent,
  AdminFact,
  AdminPeople,
  AdminPerson,
  AdminRecord,
  AdminRow,
  AdminSystem,
} from '../api/schema.gen';

/** The answers of /auth/api/admin. Times are texts of RFC 3339. A time that does not exist is absent or empty. */
export interface Boot {
  brand: { name: string; logo: string };
  /** The administrator who is signed in. */
  user: { id: string; name: string; email: string };
  /** The places that exist in this installation. */
  places: PlaceName[];
  /** The events by which the record can be filtered. */
  events: { kind: string; words: string }[];
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

export type {
  AdminEmail as Email,
  AdminEvent as Happening,
  AdminFact as Fact,
  AdminRow as Row,
  AdminSystem as System,
};
export type People = AdminPeople;
export type Facts = AdminRecord;
/** Without an end date, the account cannot have one. */
export type Person = AdminPerson & { ends_at?: string };

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
