/** An answer, as the description of the API has it. */
export type Json = ReturnType<typeof JSON.parse>;

/** A refusal of the admin API (RFC 9457). */
export class Problem extends Error {
  constructor(status: number, body: Record<string, unknown>, retryAfter?: number);
  status: number;
  /** Stable, as "key.scope". */
  code: string;
  /** What the code is about, as the `scope` that a key lacks. */
  params: Record<string, string>;
  fields: { name: string; code: string; params: Record<string, string> }[];
  requestId: string;
  /** In how many seconds to try again, 0 if the answer does not say. */
  retryAfter: number;
}

export interface AdminOptions {
  /** Ends the request and the wait for another attempt. A change may have been carried out. */
  signal?: AbortSignal | undefined;
}

/**
 * Calls the admin API with a key. The operations, with their bodies and answers, are in `/auth/api/openapi.json` of the
 * installation. A path is what follows `/auth/api/admin/` there, with its parts encoded; any other is a TypeError. An
 * error of the network is thrown as fetch throws it. A limit is waited for a minute at most.
 */
export class Admin {
  /** @param publicUrl the setting `public_url` of Portico */
  constructor(publicUrl: string, key: string);

  get(path: string, query?: Record<string, string>, options?: AdminOptions): Promise<Json>;

  /**
   * Sends a change. If the connection breaks, it is sent again, for over a minute if a node of Portico was killed, and
   * Portico carries it out once.
   */
  change(path: string, body?: object, options?: AdminOptions): Promise<Json>;

  /** Reads a list to its end. */
  pages(
    path: string,
    query?: Record<string, string>,
    options?: AdminOptions,
  ): AsyncGenerator<Json, void, void>;
}
