import { type BrowserContext, type ConsoleMessage, expect, type Page } from '@playwright/test';
import type { World } from './world.js';

/** The browser's console line for a status of 4xx or 5xx. Assets must never cause one. */
const FAILED_ANSWER = /^Failed to load resource: the server responded with a status of [45]\d\d/;

export interface Findings {
  complaints: string[];
  secretsInAddresses: string[];
  secretsInStorage: string[];
  secretsInTheLog: string[];
}

export const NOTHING: Findings = {
  complaints: [],
  secretsInAddresses: [],
  secretsInStorage: [],
  secretsInTheLog: [],
};

/**
 * Watches every page of a journey. The console must stay empty, and no password,
 * code or token may appear in a URL, a Referer or the browser's storage
 * (SEC-061, SEC-082).
 */
export class Guard {
  readonly #world: World;
  readonly #complaints: string[] = [];
  readonly #urls = new Set<string>();
  readonly #stored = new Set<string>();
  readonly #passwords = new Set<string>();
  readonly #tokens = new Set<string>();
  readonly #allowed: RegExp[] = [];
  readonly #mailsBefore: number;
  readonly #linesBefore: number;

  constructor(world: World) {
    this.#world = world;
    this.#mailsBefore = world.mailbox.mails.length;
    this.#linesBefore = world.portico.log.length;
  }

  /** Allows a console line that the journey causes on purpose. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern);
  }

  async watch(context: BrowserContext): Promise<void> {
    context.on('console', (message) => this.#hear(message));
    context.on('weberror', (error) => this.#complaints.push(`uncaught: ${error.error().stack}`));
    context.on('request', (request) => {
      this.#urls.add(request.url());
      this.#urls.add(request.headers()['referer'] ?? '');
      this.#learnPassword(request.postData() ?? '');
    });
    await context.exposeBinding('tellStored', (_, entry: string) => void this.#stored.add(entry));
    await context.addInitScript(() => {
      const tell = (window as unknown as { tellStored: (entry: string) => void }).tellStored;
      const keep = Storage.prototype.setItem;
      Storage.prototype.setItem = function (key: string, value: string) {
        tell(`${key}=${value}`);
        return keep.call(this, key, value);
      };
    });
  }

  #hear(message: ConsoleMessage): void {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const line = `${message.type()}: ${message.text()} (${message.location().url})`;
    const asset = message.location().url.includes('/auth/assets/');
    if (FAILED_ANSWER.test(message.text()) && !asset) return;
    this.#complaints.push(line);
  }

  /** Every value that is sent as a password is a secret. */
  #learnPassword(body: string): void {
    const fields = body.startsWith('{') ? Object.entries(JSON.parse(body)) : [...new URLSearchParams(body)];
    for (const [name, value] of fields) {
      if (name.includes('password') && typeof value === 'string' && value.length > 7)
        this.#passwords.add(value);
    }
  }

  /** Records the storage of a browser before it closes. */
  async sample(context: BrowserContext): Promise<void> {
    const cookies = await context.cookies(this.#world.portico.origin);
    for (const { name, value } of cookies) {
      // The id of the flow is in the address too. It is useless without the browser's own cookie.
      if (!name.endsWith('portico-flow')) this.#tokens.add(value);
    }
    for (const page of context.pages()) {
      if (!page.url().startsWith('http')) continue;
      await expect(async () => {
        for (const entry of await storageOf(page)) this.#stored.add(entry);
      }).toPass(); // a navigating page cannot be evaluated
    }
  }

  /** Everything that must not have happened. */
  get findings(): Findings {
    const log = this.#world.portico.log.slice(this.#linesBefore).map((line) => JSON.stringify(line));
    const secrets = this.#secrets();
    return {
      complaints: this.#complaints.filter((line) => !this.#allowed.some((pattern) => pattern.test(line))),
      secretsInAddresses: leaks([...this.#urls], secrets),
      secretsInStorage: leaks([...this.#stored], secrets),
      secretsInTheLog: leaks(log, secrets),
    };
  }

  #secrets(): string[] {
    const mailed = this.#world.mailbox.mails
      .slice(this.#mailsBefore)
      .flatMap(({ code, token }) => [code, token]);
    return [...this.#passwords, ...mailed, ...this.#tokens].filter((secret) => secret.length > 5);
  }
}

/** The storage of the page, as `area key=value`. */
export function storageOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const areas = { localStorage, sessionStorage };
    const kept = Object.entries(areas).flatMap(([area, storage]) =>
      Object.entries(storage).map(([key, value]) => `${area} ${key}=${value}`),
    );
    const databases = (await indexedDB.databases()).map(({ name }) => `indexedDB ${name}`);
    const caches_ = (await caches.keys()).map((name) => `cache ${name}`);
    const workers = (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => `worker ${scope}`);
    return [...kept, ...databases, ...caches_, ...workers];
  });
}

/** The texts that contain a secret as a word, encoded or not. Only an emailed link may contain a token. */
function leaks(texts: string[], secrets: string[]): string[] {
  if (secrets.length === 0) return [];
  const any = new RegExp(
    `(?<!\\w)(${secrets.map((secret) => secret.replace(/[^\w ]/g, '\\$&')).join('|')})(?!\\w)`,
  );
  const mailed = /\/auth\/(confirm-link|not-me)\?token=/;
  return texts.filter((text) => !mailed.test(text) && (any.test(text) || any.test(decode(text))));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}
