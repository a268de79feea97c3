/** The page of administration on recorded answers (fixtures/admin.mjs), behind its real policy. */
import { readFileSync } from 'node:fs';
import type { BrowserContext, Locator, Page, Route } from 'playwright';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { BOOT, installation } from '../fixtures/admin.mjs';
import { openWorld, shown, type World } from './browser';

export let world: World;
export let page: Page;
export let complaints: string[] = [];
/** The document as the server fills it, and with it the policy of another document for the style of this one. */
let sent: { body: string; headers: Record<string, string> };
beforeAll(async () => {
  world = await openWorld();
  const read = (path: string) => readFileSync(new URL(`../dist/${path}`, import.meta.url), 'utf8');
  const { style_hashes } = JSON.parse(read('documents/manifest.json'));
  const policy =
    (await fetch(world.origin + shown('terms/idle'))).headers.get('content-security-policy') ?? '';
  sent = {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.replace(/style-src [^;]*/, `style-src '${style_hashes['admin']}'`),
    },
    body: read('documents/admin.html')
      .replace('{{.style}}', () => read('styles/admin.css'))
      .replace('{{.boot}}', () => JSON.stringify(BOOT))
      .replace(/{{if .*?{{else}}(.*?){{end}}/, (_, plain) => plain)
      .replaceAll(/{{.*?}}/g, ''),
  };
});
afterEach(() => page?.context().close());
afterAll(() => world.close());

export type Fake = ReturnType<typeof installation>;

/** What a test does to a request before the installation answers it. */
type Before = (route: Route, path: string) => Promise<boolean> | boolean;

/** The document at all its paths, and nothing at the page that a proof is given on. */
export async function serve(context: BrowserContext) {
  await context.route(/\/auth\/admin/, (route) => route.fulfill(sent));
  await context.route(/\/auth\/mfa/, (route) => route.fulfill({ body: '' }));
}

/** Opens a place in a window of this width. `before` answers some requests itself. */
export async function open(
  path: string,
  fake: Fake = installation(),
  width = 1280,
  before: Before = () => false,
) {
  const context = await world.browser.newContext({ viewport: { width, height: 900 } });
  page = await context.newPage();
  complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
  await page.route('**/auth/api/admin/**', async (route) => {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    if (await before(route, pathname + search)) return;
    const { status, body } = fake.answer(
      request.method(),
      pathname + search,
      /file$/.test(pathname) ? {} : request.postDataJSON(),
    );
    await route.fulfill({ status, json: body });
  });
  await serve(context);
  await page.goto(`${world.origin}/auth/admin/${path}`);
  return fake;
}

export const refused = (code: string, status = 500) => ({
  status,
  json: { status, code, request_id: '01JD3K8V5Q' },
});

export const row = (name: string): Locator => page.locator('tbody tr').filter({ hasText: name });

export const queryOf = () => new URL(page.url()).search;

export async function act(name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

export async function settled() {
  await page.locator('tbody tr, main .card').first().waitFor();
  await page.locator('table[aria-busy=true], .bone').first().waitFor({ state: 'detached' });
}

export const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

export const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
