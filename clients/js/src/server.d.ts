import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** The signed-in user. */
export interface Person {
  /** Never changes and is never given to another account: store this. */
  id: string;
  /** Verified; may change. */
  email: string;
  /** May be empty. */
  name: string;
  roles: string[];
  /**
   * The proofs of the sign-in: "password", "mail", "passkey", "operator_link", "provider:google", then "totp", "passkey" or
   * "recovery_code".
   */
  methods: string[];
  /** Tells the sessions of a person apart. */
  sessionId: string;
  authenticatedAt: Date;
}

export interface Options {
  /** The claim `aud` of the tokens for this app: its name in Portico's configuration. Default: "app". */
  audience?: string;
  /**
   * Where the app reaches Portico, when that is not its public URL. The network between must be yours. Node and Bun can
   * do this; a runtime with `fetch` alone cannot.
   */
  address?: string;
  /**
   * Looks each request's cookie up at Portico in place of verifying a token: for an app without a gateway in
   * front, under Portico's host.
   */
  askPortico?: boolean;
  /** Gets why a request is refused, and why keys cannot be fetched. Default: warns on the console. */
  onError?: (error: Error) => void;
}

/** The token does not come from Portico, is for another app, or has expired. */
export class Refused extends Error {}

/** The user is not known at the moment, because Portico does not answer. */
export class Unavailable extends Error {}

/** Headers of `node:http`, Express or Fastify, or of a `Request`. */
export type AnyHeaders = IncomingHttpHeaders | Headers;

/** Identifies the signed-in user. An app makes one. It sends no request until it is used. */
export class Portico {
  /** @param publicUrl the setting `public_url` of Portico */
  constructor(publicUrl: string, options?: Options);

  /** Whom a token is about. Throws {@link Refused} or {@link Unavailable}. */
  verify(token: string): Promise<Person>;

  /** The user who sent a request, or null. Throws {@link Refused} or {@link Unavailable}. */
  identify(headers: AnyHeaders): Promise<Person | null>;

  /**
   * The user who sent a request, or null after it has been answered: a navigation with a redirect to the sign-in page,
   * any other request with 401 and the address of that page.
   */
  require(request: IncomingMessage, response: ServerResponse): Promise<Person | null>;

  /**
   * The user who sent a request, or what to answer in their place, as `require` does: for whatever takes a `Request` and
   * returns a `Response`, also without Node.
   */
  admit(request: Request): Promise<Person | Response>;

  /** For Express and whatever else calls `(request, response, next)`. It sets `request.portico`. */
  middleware(options?: {
    /** Serves everybody; `request.portico` is null for who is not signed in. */
    optional?: boolean;
  }): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => Promise<void>;
}

declare module 'node:http' {
  interface IncomingMessage {
    /** The signed-in user; set by {@link Portico.middleware}. */
    portico?: Person | null;
  }
}
