import { mailPath, request } from './dev.js';

/** @type {typeof import('./testing.d.ts').signIn} */
export async function signIn(page, person = {}) {
  return await send(page, 'session', person);
}

/** @type {typeof import('./testing.d.ts').nextMail} */
export async function nextMail(page, to, { wait = 10 } = {}) {
  return await send(page, mailPath(to, wait), undefined, wait);
}

/** @type {typeof import('./testing.d.ts').moveClock} */
export async function moveClock(page, forward) {
  const { now } = await send(page, 'clock', { forward });
  return new Date(now);
}

/** @type {typeof import('./testing.d.ts').providerAnswers} */
export async function providerAnswers(page, answer) {
  await send(page, 'provider', answer);
}

/** @type {typeof import('./testing.d.ts').newAddress} */
export const newAddress = () => `test-${crypto.randomUUID()}@example.com`;

/** @param {import('./testing.d.ts').Target} page @param {string} path @param {object} [body] @param {number} [wait] */
async function send(page, path, body, wait) {
  const { url, ...rest } = request(path, body, wait);
  const answer = await ('request' in page ? page.request : page).fetch(url, {
    ...rest,
    ...(body && { data: body }),
  });
  const said = parsed(await answer.text());
  if (answer.ok() && said) return said;
  const fields = (said?.fields ?? []).map((/** @type {any} */ field) => ` (${field.name}: ${field.code})`);
  const reason = said ? said.title + fields.join('') : 'this is not portico dev';
  throw new Error(`${rest.method} ${url} is answered ${answer.status()}: ${reason}`);
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
