/** A problem document (RFC 9457) with our members. All of them are always set. */
export interface Problem {
  status: number;
  code: string;
  params: Params;
  fields: { name: string; code: string; params: Params }[];
  retry_after: number;
  request_id: string;
}

type Params = Record<string, string>;

/** The reason why a request failed. */
export type Failure =
  | { kind: 'offline' } // this device has no connection
  | { kind: 'unreachable' } // no response
  | { kind: 'down' | 'blocked'; retryAfter: number } // the response of a proxy in front
  | { kind: 'timeout' }
  | { kind: 'problem'; problem: Problem };

/** Reads a problem document. A member that is missing or of another type becomes empty. */
export function parseProblem(body: unknown, status: number, retryAfter: string | null): Problem {
  const o = record(body);
  return {
    status,
    code: text(o.code),
    params: params(o.params),
    fields: (Array.isArray(o.fields) ? o.fields : []).map((field) => {
      const f = record(field);
      return { name: text(f.name), code: text(f.code), params: params(f.params) };
    }),
    retry_after: seconds(o.retry_after) || seconds(Number(retryAfter ?? 0)),
    request_id: text(o.request_id),
  };
}

/** A failed response without a code. Portico names one in each, so a proxy in front has answered. */
export const foreign = ({ status, retry_after }: Pick<Problem, 'status' | 'retry_after'>): Failure => ({
  kind: status >= 500 || status === 429 ? 'down' : 'blocked',
  retryAfter: retry_after,
});

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const text = (value: unknown) => (typeof value === 'string' ? value : '');

const seconds = (value: unknown) =>
  typeof value === 'number' && value > 0 && value < 1e6 ? Math.ceil(value) : 0;

const params = (value: unknown) =>
  Object.fromEntries(
    Object.entries(record(value))
      .filter(([, v]) => typeof v === 'string' || typeof v === 'number')
      .map(([k, v]) => [k, String(v)]),
  );
