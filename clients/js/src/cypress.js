import { mailPath, request } from './dev.js';

const { Cypress, cy } = /** @type {any} */ (globalThis);

/** @param {string} path @param {object} [body] @param {object} [options] */
const send = (path, body, options) =>
  cy.request({ ...request(path, body), ...(body && { body }), ...options }).its('body');

Cypress.Commands.addAll({
  signIn: (/** @type {object} */ person = {}) => send('session', person),
  // Cypress gives up after 30 seconds, and an email may be waited for longer.
  nextMail: (/** @type {any} */ to, { wait = 10 } = {}) =>
    send(mailPath(to, wait), undefined, { timeout: 30_000 + wait * 1000 }),
  moveClock: (/** @type {string} */ forward) => send('clock', { forward }),
  providerAnswers: (/** @type {object} */ answer) => send('provider', answer),
});
