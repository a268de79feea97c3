// What an app on any runtime does with the package; `node guard.js URL TOKEN` prints it.
import { Portico } from 'portico-client';

/** @param {string} url @param {string} token */
export async function guard(url, token) {
  const portico = new Portico(url);
  /** @param {Record<string, string>} headers */
  const answer = async (headers) => {
    const found = await portico.admit(new Request(`${url}/a%20b?c=d`, { headers }));
    if (!(found instanceof Response)) return found.email;
    return `${found.status} ${found.headers.get('location') ?? (await found.json()).code}`;
  };
  return [
    await answer({ 'x-portico-token': token }),
    await answer({ 'sec-fetch-mode': 'navigate' }),
    await answer({ accept: 'application/json' }),
    await answer({ 'x-portico-token': `${token.slice(0, -8)}AAAAAAAA` }),
  ];
}

const [url, token] = globalThis.process?.argv.slice(2) ?? [];
if (url && token) guard(url, token).then((found) => console.log(JSON.stringify(found)));
