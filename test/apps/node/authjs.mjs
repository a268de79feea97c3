// An app with Auth.js at the origin HERE. Its settings are the environment that the preset authjs prints.
import { ExpressAuth } from '@auth/express';
import express from 'express';

const { HERE } = process.env;
const app = express();
app.set('trust proxy', true);
app.use('/auth', ExpressAuth({ basePath: '/auth', providers: [{ id: 'portico', name: 'Portico', type: 'oidc' }], trustHost: true }));
app.get('/', (_request, response) => response.send('the app'));
app.listen(new URL(HERE).port, '127.0.0.1');
