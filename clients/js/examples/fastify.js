// An app on Fastify behind Portico.
import fastify from 'fastify';
import { Portico } from 'portico-client';

/** @param {string} publicUrl the setting public_url of Portico */
export function app(publicUrl) {
  const portico = new Portico(publicUrl);
  const site = fastify();
  site.addHook('onRequest', async ({ raw }, reply) => {
    raw.portico = await portico.require(raw, reply.raw);
    if (!raw.portico) reply.hijack(); // answered: the way to the sign-in page, or 401
  });
  site.get('/', async ({ raw }) => `Hello, ${raw.portico?.email}`);
  return site;
}
