import { mailPath, request } from './dev.js';

const { Cypress, cy } = /** @type {any} */ (globalThis);

/** @param {string} path @param {object} [body] */
const send = (path, body) => cy.request({ ...request(path, body), ...(body && { body }) }).its('body');

Cypress.Commands.addAll({
  signIn: (/** @type {object} */ person = {}) => send('session', person),
  nextMail: (/** @type {any} */ to, { wait = 10 } = {}) => send(mailPath(to, wait)),
  moveClock: (/** @type {string} */ forward) => send('clock', { forward }),
  providerAnswers: (/** @type {object} */ answer) => send('provider', answer),
});
