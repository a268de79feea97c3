import type { Mail, nextMail, providerAnswers, SignedIn, Wanted } from './testing.js';

declare global {
  namespace Cypress {
    interface Chainable {
      signIn(person?: Wanted): Chainable<SignedIn>;
      nextMail(to: Parameters<typeof nextMail>[1], options?: { wait?: number }): Chainable<Mail>;
      moveClock(forward: string): Chainable<{ now: string }>;
      providerAnswers(answer: Parameters<typeof providerAnswers>[1]): Chainable<unknown>;
    }
  }
}
