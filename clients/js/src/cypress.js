import { mailPath, request } from './dev.js';

const { Cypress, cy } = /** @type {any} */ (globalThis);

/** @param {string} path @param {object} [body] @param {number} [wait] */
const send = (path, body, wait) =>
  cy.request({ ...request(path, body, wait), ...(body && { body }) }).its('body');

Cypress.Commands.addAll({
  signIn: (/** @type {object} */ person = {}) => send('session', person),
  nextMail: (/** @type {any} */ to, { wait = 10 } = {}) => send(mailPath(to, wait), undefined, wait),
  moveClock: (/** @type {string} */ forward) => send('clock', { forward }),
  providerAnswers: (/** @type {object} */ answer) => send('provider', answer),
});
