import type { Messages } from './text';

/*
 * A document has a mark in place of each text. The server replaces the marks when it first shows the document in a
 * language (internal/server/screens/marks.go). A mark names the key and has a field for each placeholder. Its value is what the
 * screen put there: an element, an action of the template, another mark, or the placeholder itself.
 */

/** Stands for the locale in such a document. It is the language tag for "no language". */
export const MARKED = 'zxx';

const [OPEN, FIELD, CLOSE] = ['\uE002', '\uE003', '\uE004'];

/** The mark of each message. */
export const marks = (messages: Messages): Messages =>
  Object.fromEntries(Object.entries(messages).map(([key, message]) => [key, mark(key, message)]));

function mark(key: string, message: Messages[string]): string {
  const texts = typeof message === 'string' ? [message] : Object.values(message);
  const names = new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1])));
  return `${OPEN}${key}${[...names].map((name) => `${FIELD}${name}={${name}}`).join('')}${CLOSE}`;
}
