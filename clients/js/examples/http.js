// An app on plain node:http behind Portico.
import { createServer } from 'node:http';
import { Portico } from 'portico-client';

/** @param {string} publicUrl the setting public_url of Portico */
export function app(publicUrl) {
  const portico = new Portico(publicUrl);
  return createServer(async (request, response) => {
    const person = await portico.require(request, response);
    if (!person) return; // answered: the way to the sign-in page, or 401
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(`Hello, ${person.name || person.email}`);
  });
}
