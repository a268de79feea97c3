// An app on Express behind Portico: a page for everybody, and one for administrators.
import express from 'express';
import { Portico } from 'portico-client';

/** @param {string} publicUrl the setting public_url of Portico */
export function app(publicUrl) {
  const portico = new Portico(publicUrl);
  const site = express();
  site.get('/', portico.middleware({ optional: true }), ({ portico: person }, response) => {
    response.type('text/plain').send(`Hello, ${person?.email ?? 'visitor'}`);
  });
  const admin = express.Router();
  admin.use(portico.middleware());
  admin.get('/people', ({ portico: person }, response) => {
    if (!person?.roles.includes('admin')) return void response.sendStatus(403);
    response.type('text/plain').send(`Hello, ${person.email}`);
  });
  return site.use('/admin', admin);
}
