// How Node and Bun ask Portico: fetch() cannot name another Host than the address.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ANSWER_TIME, MAX_ANSWER } from './get.js';

export const SHARED_FOR = ANSWER_TIME + 1_000;

/**
 * Without following redirects, by which another server would say what the keys are.
 * @param {URL} url @param {string} host @param {Record<string, string>} headers
 * @returns {Promise<{ status: number, body: string }>}
 */
export function get(url, host, headers) {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const options = { headers: { ...headers, host }, signal: AbortSignal.timeout(ANSWER_TIME) };
  return new Promise((resolve, reject) => {
    const asked = send(url, options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
        if (body.length > MAX_ANSWER) asked.destroy(new Error(`the answer to ${url.pathname} is too long`));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}
