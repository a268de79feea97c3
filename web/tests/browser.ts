import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { inject } from 'vitest';
import { pathOf } from '../tools/gallery.mjs';

export interface World {
  origin: string;
  browser: Browser;
  /** The pages of `visit`, by the options of their browsers. */
  pages: Map<string, Page>;
  close: () => Promise<void>;
}

/** The gallery of the real server, and one Chromium. */
export async function openWorld(): Promise<World> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] as string, // vitest.config.ts sets it
    // A tab takes over the process of the one before: to start one takes a quarter of the time of a visit.
    args: ['--no-sandbox', '--disable-gpu', '--renderer-process-limit=1'],
  });
  return {
    origin: inject('origin'),
    browser,
    pages: new Map(),
    close: () => browser.close(),
  };
}

/** The path of a state in the gallery: "signin/idle" in English, "signin/idle/de" in German. */
export const shown = (state: string): string =>
  state.replace(
    /^([\w-]+\/[\w-]+)(?:\/(\w+))?/,
    (_, name, locale) => `/dev/screens/${name}/light${locale ? `?locale=${locale}` : ''}`,
  );

/** Adds a style to a page, in place of the one before. The policy forbids a style element, not the CSSOM. */
export const restyle = (page: Page, css: string) =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, css);

/** The style of the dark scheme, which the server adds to a document, at once. */
export async function darkStyle({ origin }: World): Promise<string> {
  const html = await (await fetch(origin + pathOf('leaving', 'idle', 'en', 'dark'))).text();
  const style = html.match(/<style>[^<]*/g)?.[1]?.replace('<style>', '');
  if (!style?.includes('--accent:')) throw new Error('the document has no style of the dark scheme');
  return `${style}*{transition:none!important}`;
}

export interface Visit {
  page: Page;
  /** Errors, hydration warnings and policy violations of the page so far. */
  complaints: string[];
}

/** Answers of the API by path; a path that is not listed fails the test as a complaint. */
export type Api = Record<
  string,
  { status?: number; body?: object; text?: string; headers?: Record<string, string> } | 'hang' | 'abort'
>;

/** An answer of the API that is a fault. */
export const problem = (status: number, members: object) => ({
  status,
  body: { status, request_id: '01JD3K8V5Q', ...members },
});

export async function visit(
  world: World,
  path: string,
  options: BrowserContextOptions & {
    api?: Api;
    hydrate?: boolean;
    /** For a test that changes more than its page, such as the clock: no other test gets its browser. */
    alone?: boolean;
    /** The actions of the user before the script runs. */
    early?: (page: Page) => Promise<void>;
  } = {},
): Promise<Visit> {
  const { api = {}, hydrate = true, early, alone = false, ...context } = options;
  const page = await pageFor(world, alone, context);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const expected = /Failed to load resource/.test(message.text()); // the browser's own line for a 4xx answer
    if (['error', 'warning'].includes(message.type()) && !expected) complaints.push(message.text());
  });
  await page.route('**/auth/api/**', async (route) => {
    const path = new URL(route.request().url()).pathname;
    const byItself = /^\/auth\/api\/(passkey\/ask|account\/passkeys\/begin|flows\/.*)$/.test(path); // no user has asked
    const answer = api[path] ?? (byItself ? 'hang' : undefined);
    if (answer === 'hang') return;
    if (answer === 'abort') return route.abort();
    if (!answer) complaints.push(`unexpected request ${route.request().url()}`);
    const answered = route.fulfill({
      status: answer?.status ?? 200,
      headers: answer?.headers ?? {},
      ...(answer?.text === undefined ? { json: answer?.body ?? {} } : { body: answer.text }),
    });
    await answered.catch(() => {}); // the tab has been closed
  });
  const release = early && (await holdScript(page));
  await page.goto(world.origin + path, early && { waitUntil: 'commit' });
  await early?.(page);
  release?.();
  if (hydrate) await hydrated(page);
  return { page, complaints };
}

/** A press that leads to such a URL leaves the page where it is: a tab that closes on its way to another page may hang. */
export const stays = (page: Page, url: string) => page.route(url, (route) => route.fulfill({ status: 204 }));

const WINDOW = { width: 1280, height: 720 };

/**
 * A new tab in the place of the one before, with its cache: a new browser for each visit takes twice the time.
 * Requests that hang must not go on before the tab closes: a page that then loads itself again keeps it from closing.
 */
async function pageFor(
  { browser, pages }: World,
  alone: boolean,
  { viewport = WINDOW, ...context }: BrowserContextOptions,
): Promise<Page> {
  const kind = alone ? 'alone' : JSON.stringify(context);
  const used = pages.get(kind);
  if (!used || used.isClosed() || alone) {
    await used?.context().close();
    const page = await (await browser.newContext({ viewport, ...context })).newPage();
    pages.set(kind, page);
    return page;
  }
  const page = await used.context().newPage();
  pages.set(kind, page);
  used.removeAllListeners();
  await used.close();
  await page.context().clearCookies();
  if (viewport) await page.setViewportSize(viewport);
  return page;
}

/** Keeps the scripts of the page back; returns what lets them go. */
export async function holdScript(page: Page): Promise<() => void> {
  let release = () => {};
  const gate = new Promise<void>((done) => {
    release = done;
  });
  await page.route('**/auth/assets/*.js', async (route) => {
    await gate;
    await route.continue();
  });
  return release;
}

/** Waits until React runs the page: its effects have set what only script sets. */
export async function hydrated(page: Page): Promise<void> {
  if ((await page.locator('script').count()) === 0) return; // the page on the way to a provider has none
  await page.waitForFunction(() => {
    const root = document.getElementById('root');
    return (
      root &&
      Object.keys(root).some((key) => key.startsWith('__reactContainer')) &&
      document.querySelector('main')
    );
  });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/**
 * Lets a test wait until the page has read an answer of the API and drawn what follows. The page says so in its console,
 * since `evaluate` waits for a page that is on its way to another one.
 */
export async function reading(page: Page): Promise<(path: string) => Promise<unknown>> {
  await page.evaluate(() => {
    const { json } = Response.prototype;
    Response.prototype.json = async function () {
      const body = await json.call(this);
      // biome-ignore lint/suspicious/noConsole: the test waits for it
      const say = () => console.log(`read ${new URL(this.url).pathname}`);
      requestAnimationFrame(() => requestAnimationFrame(say));
      return body;
    };
  });
  return (path) => page.waitForEvent('console', (message) => message.text() === `read ${path}`);
}

/** Waits for the buttons that appear a moment after the page (guard.module.css). Half there, they have little contrast. */
export async function appeared(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}
