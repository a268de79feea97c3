/** What the helpers send requests with: a page, context or request of Playwright, whose `baseURL` is Portico's address. */
export type Target = Sender | { request: Sender };

interface Sender {
  fetch(
    url: string,
    options: { method: string; headers: Record<string, string>; data?: object; timeout: number },
  ): Promise<{ ok(): boolean; status(): number; text(): Promise<string> }>;
}

/** Who signs in, and how. A person who exists gets what is given here, and keeps the rest. */
export interface Wanted {
  /** Default: a new person with an address that no other test has. */
  email?: string;
  name?: string;
  /** For a new person; without one they have none. */
  password?: string;
  roles?: string[];
  /** What `extra_claims` takes from. */
  claims?: Record<string, unknown>;
  /** The proofs, such as `['password', 'totp']`, `['passkey']` or `['provider:google']`. Default: `['password']`. */
  methods?: string[];
  /** `'2'`: a second factor was given. */
  acr?: '1' | '2';
  /** How long ago the proof was given: `'30m'`, `'8h'`, `'2d'`. */
  age?: string;
}

export interface SignedIn {
  id: string;
  email: string;
  name: string;
  roles: string[];
  methods: string[];
  acr: '1' | '2';
  authenticated_at: string;
  /** The number of the newest email before this sign-in. */
  mail: number;
}

export interface Mail {
  number: number;
  at: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** The code to type, or "". */
  code: string;
  /** The addresses in the text. */
  links: string[];
}

/** Signs a person in, in the browser of a page, by one request to `portico dev`. */
export function signIn(page: Target, person?: Wanted): Promise<SignedIn>;

/**
 * Waits for the next email to an address: the first one; or, of what {@link signIn} returned, the first since then; or,
 * of an email, the first after it.
 */
export function nextMail(
  page: Target,
  to: string | SignedIn | Mail,
  options?: {
    /** Seconds, at most 60. Default: 10. */
    wait?: number;
  },
): Promise<Mail>;

/** Moves the time of `portico dev` forward for all tests: `'20m'`, `'31d'`. Returns the time that it is then. */
export function moveClock(page: Target, forward: string): Promise<Date>;

/** Decides what the stand-in provider answers to the next sign-in of this browser, in place of its page. */
export function providerAnswers(
  page: Target,
  answer:
    | { fails: 'cancelled' }
    | { email: string; name?: string; fails?: 'no_email' | 'unverified' | 'other_subject' },
): Promise<void>;

/** An address that no other test has. */
export function newAddress(): string;
