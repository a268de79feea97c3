import type { MessageKey } from './messages.gen';

/** A message: one text, or a text for each plural category of the parameter `count`. */
type Message = string | Record<string, string>;
export type Messages = Record<string, Message>;
type Params = Record<string, string | number>;

/** The words of one locale. */
export interface Text {
  locale: string;
  /** The words of a message key. */
  t: (key: MessageKey, params?: Params) => string;
  /** The words of a fault code, or undefined for a code that this build does not know. */
  fault: (code: string, params?: Params, retryAfter?: number) => string | undefined;
}

/** The locales that are written from right to left, as package locale of the server has them. */
export const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);

/** Parameters that are numbers. At build time they are slots. */
const COUNTS = new Set(['count', 'minutes']);

/**
 * From right to left, each value is isolated (UAX 9): an address or a name in Latin letters would otherwise
 * change the order of the words around it. Digits keep their order by themselves.
 */
export function createText(locale: string, messages: Messages, isolate = RIGHT_TO_LEFT.has(locale)): Text {
  const plural = new Intl.PluralRules(locale);

  const words = (key: string, params: Params): string | undefined => {
    const message = messages[key];
    if (message === undefined) return undefined;
    const text = typeof message === 'string' ? message : pick(message, plural, params.count);
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name];
      if (value === undefined) return whole;
      return isolate && !/^\d*$/.test(String(value)) && !COUNTS.has(name)
        ? `\u2068${value}\u2069`
        : String(value);
    });
  };

  /** "30 seconds", "2 minutes". */
  const wait = (seconds: number) => {
    const [unit, count] =
      seconds < 90
        ? ['seconds', seconds]
        : seconds < 5400
          ? ['minutes', Math.ceil(seconds / 60)]
          : ['hours', Math.ceil(seconds / 3600)];
    return words(`common.wait.${unit}`, { count: Math.max(1, count as number) }) ?? '';
  };

  return {
    locale,
    t: (key, params = {}) => words(key, params) ?? key,
    fault: (code, params = {}, retryAfter = 0) => {
      const reason =
        params.reason &&
        (words(`error.${code}.${params.reason}`, params) ?? words(`error.${code}.other`, params));
      return words(`error.${code}`, {
        ...params,
        ...(reason ? { reason } : {}),
        ...(retryAfter > 0 ? { wait: wait(retryAfter) } : {}),
      });
    },
  };
}

/** Chooses the plural form. A count that is no number, such as a template slot, takes the form "other". */
function pick(
  message: Record<string, string>,
  plural: Intl.PluralRules,
  count: string | number | undefined,
): string {
  const category = Number.isFinite(Number(count)) ? plural.select(Number(count)) : 'other';
  return message[category] ?? message.other ?? '';
}
