import { Refused } from './fault.js';

const LEEWAY = 10; // seconds by which two clocks may differ
const MAX_TOKEN = 8 << 10; // bounds what is parsed before anything is known of its sender
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Verifies a token (RFC 7519, RFC 8725) and returns its claims.
 * @param {string} token
 * @param {{ issuer: string, audience: string, find: (kid: string) => Promise<CryptoKey | null> }} expected
 * @returns {Promise<Record<string, unknown>>}
 */
export async function verify(token, expected) {
  if (typeof token !== 'string' || token.length > MAX_TOKEN || !FORM.test(token))
    throw new Refused('this is no token');
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = object(head);
  // The one algorithm is what keeps a token from choosing how it is verified (RFC 8725 3.1).
  if (header['alg'] !== 'ES256' || 'crit' in header) throw new Refused('the token is not signed with ES256');
  if (String(header['typ']).toUpperCase() !== 'JWT') throw new Refused('the token is not of the type JWT');
  const key = typeof header['kid'] === 'string' ? await expected.find(header['kid']) : null;
  if (!key) throw new Refused('the token is signed with a key that Portico does not publish');
  const signed = new TextEncoder().encode(`${head}.${body}`);
  const how = { name: 'ECDSA', hash: 'SHA-256' };
  if (!(await crypto.subtle.verify(how, key, bytes(signature), signed)))
    throw new Refused('the signature of the token is wrong');
  const claims = object(body);
  check(claims, expected);
  return claims;
}

/** @param {Record<string, unknown>} claims @param {{ issuer: string, audience: string }} expected */
function check(claims, expected) {
  const now = Date.now() / 1000;
  const { iss, aud, sub, exp, nbf = 0, iat = 0, auth_time = 0 } = claims;
  // JSON has numbers without an end: 1e400 is Infinity, and such a token never expires.
  if (![exp, nbf, iat, auth_time].every(Number.isSafeInteger))
    throw new Refused('a time of the token is not a whole number of seconds');
  if (iss !== expected.issuer)
    throw new Refused(`the token is from ${iss}, and this app trusts ${expected.issuer}`);
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  if (audience !== expected.audience)
    throw new Refused(`the token is for ${aud}, and this app is ${expected.audience}`);
  if (typeof sub !== 'string' || sub === '') throw new Refused('the token has no subject');
  if (now >= Number(exp) + LEEWAY) throw new Refused('the token has expired');
  for (const time of [nbf, iat])
    if (now <= Number(time) - LEEWAY) throw new Refused('the token is not valid yet');
}

/**
 * The bytes of a part. atob() ignores the last bits that no byte uses, so other spellings are refused here.
 * @param {string} part
 */
function bytes(part) {
  const written = part.replaceAll('-', '+').replaceAll('_', '/');
  const text = written.length % 4 === 1 ? '' : atob(written);
  if (btoa(text).replace(/=+$/, '') !== written) throw new Refused('this is no token');
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/**
 * How many members the objects in a value have, at any depth.
 * @param {unknown} value @returns {number}
 */
function members(value) {
  if (!value || typeof value !== 'object') return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum, inner) => sum + members(inner), own);
}

/**
 * How many members a JSON text writes. JSON.parse keeps the last of two with one name, and another program
 * may take the first: then there are more than the value has.
 * @param {string} text
 */
const colons = (text) => text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;

/** @param {string} part @returns {Record<string, unknown>} */
function object(part) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes(part));
    const value = JSON.parse(text);
    if (value && typeof value === 'object' && !Array.isArray(value) && members(value) === colons(text))
      return value;
  } catch {
    // answered below
  }
  throw new Refused('this is no token');
}
