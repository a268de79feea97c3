import { afterAll, beforeAll, expect, test } from 'vitest';
import { STATES, statesIn } from '../fixtures/states.mjs';
import { inLocale, say } from '../fixtures/words.mjs';
import { pathOf } from '../tools/gallery.mjs';
import { locales, messagesOf } from '../tools/messages.mjs';
import { openWorld, stays, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'ur'];

/** The markup and the styles of a document, which every visitor gets first. */
const still = async (screen: string, state: string, locale: string) => {
  const html = await (await fetch(world.origin + pathOf(screen, state, locale))).text();
  return html.replace(/<script type="module".*?<\/script>|<link rel="[a-z]+"[^>]*>/g, '');
};

/** The short form takes the locale with the longest words and the one from right to left, the full form the others. */
const FULL = process.env['PORTICO_TESTS'] === 'full';
const JUDGED = locales.filter((locale) => ['de', 'ar'].includes(locale) !== FULL);
const once = test.skipIf(FULL); // what the short form judges as a whole

// One page shows the documents of a locale one after the other in a frame: a visit of each takes 30 times as long.
test.each(JUDGED)('%s: every state stands in 320 px, in its direction', async (locale) => {
  const page = await (await world.browser.newContext()).newPage();
  const documents = await Promise.all(STATES.map(([screen, state]) => still(screen, state, locale)));
  const months = Array.from({ length: 12 }, (_, i) => {
    const key = `common.month.${String(i + 1).padStart(2, '0')}`;
    return inLocale(say(key), locale) as string;
  });
  const found = await page.evaluate(measure, [documents, months] as const);
  const direction = RIGHT_TO_LEFT.includes(locale) ? 'rtl' : 'ltr';
  STATES.forEach(([screen, state], i) => {
    const { backwards, stuck, ...rest } = found[i] ?? { backwards: [], stuck: [] };
    expect.soft(rest, `${screen}, ${state}`).toEqual({ over: [0, 0, 0], lang: locale, direction });
    expect.soft(backwards, `${screen}, ${state}: dates that run backwards`).toEqual([]);
    expect.soft(stuck, `${screen}, ${state}: words without a space to a control`).toEqual([]);
  });
  await page.context().close();
});

/**
 * How far each document is wider than its window: as it is, with wide spacing, with twice the text size. Also the dates
 * whose year stands before their day, and paragraphs that touch a label or a control.
 */
async function measure([documents, months]: readonly [string[], string[]]) {
  const isolated = '[\\u2066-\\u2069]?'; // as the server writes a month from right to left
  const date = new RegExp(
    `\\d{1,2}\\.? (?:de )?${isolated}(?:${months.join('|')})${isolated} (?:de )?\\d{4}`,
    'g',
  );
  /** Where the characters of a text at these places begin. */
  const places = (text: Node, ...at: number[]) =>
    at.map((start) => {
      const range = document.createRange();
      range.setStart(text, start);
      range.setEnd(text, start + 1);
      return range.getBoundingClientRect();
    });
  const backwardsIn = (root: HTMLElement, rtl: boolean) => {
    const texts = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      for (const match of (text.textContent ?? '').matchAll(date)) {
        const [day, year] = places(text, match.index, match.index + match[0].length - 4);
        if (!day?.width || day.top !== year?.top) continue; // not shown, or on two lines
        if (day.x > year.x !== rtl) found.push(match[0]);
      }
    return found;
  };
  const stuckIn = (root: HTMLElement) => {
    const seen = (selector: string) =>
      [...root.querySelectorAll<HTMLElement>(selector)].filter(
        (element) => element.checkVisibility() && element.textContent?.trim() !== '',
      );
    const controls = seen('main :is(label, legend, button, summary)');
    return seen('main p')
      .filter((words) => {
        const p = words.getBoundingClientRect();
        return controls.some((control) => {
          if (control.contains(words) || words.contains(control)) return false;
          const c = control.getBoundingClientRect();
          const beside = Math.min(p.bottom, c.bottom) - Math.max(p.top, c.top) > 1;
          const above = Math.min(p.right, c.right) - Math.max(p.left, c.left) > 1;
          const gap =
            above && !beside
              ? Math.max(p.top - c.bottom, c.top - p.bottom)
              : beside && !above
                ? Math.max(p.left - c.right, c.left - p.right)
                : 9;
          return gap < 2;
        });
      })
      .map(({ textContent }) => textContent);
  };
  const spacing =
    '*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-bottom:2em!important}';
  const results = [];
  for (const html of documents) {
    const frame = document.createElement('iframe');
    frame.style.cssText = 'width:320px;height:640px;border:0';
    frame.srcdoc = html;
    const loaded = new Promise((done) => frame.addEventListener('load', done));
    document.body.replaceChildren(frame);
    await loaded;
    const shown = frame.contentDocument as Document;
    const root = shown.documentElement;
    const over = ['', spacing, ':root{font-size:200%!important}'].map((css) => {
      const style = shown.createElement('style');
      style.textContent = css;
      shown.head.append(style);
      const excess = root.scrollWidth - root.clientWidth;
      style.remove();
      return excess;
    });
    const { direction } = (frame.contentWindow as Window).getComputedStyle(shown.body);
    const backwards = backwardsIn(shown.body, direction === 'rtl');
    results.push({ over, lang: root.lang, direction, backwards, stuck: stuckIn(shown.body) });
  }
  return results;
}

once('what is typed runs from left to right on a page from right to left', async () => {
  const { page } = await visit(world, '/dev/screens/signin/rejected/light?locale=ar');
  const [email, password] = [page.locator('#email'), page.locator('#password')];
  const direction = (element: Element) => getComputedStyle(element).direction;
  expect(await email.evaluate(direction)).toBe('ltr'); // it has a value
  await email.fill('');
  expect(await email.evaluate(direction), 'for its placeholder').toBe('rtl');
  await password.fill('abc!');
  const [field, toggle] = [
    await password.boundingBox(),
    await page.locator('button[aria-pressed]').boundingBox(),
  ];
  expect(toggle?.x ?? 999).toBeLessThan((field?.x ?? 0) + (field?.width ?? 0) / 2);
  const paddings = await password.evaluate((element) => {
    const { paddingLeft, paddingRight } = getComputedStyle(element);
    return [Number.parseFloat(paddingLeft), Number.parseFloat(paddingRight)];
  });
  expect(paddings[0], 'room for the button').toBeGreaterThan(paddings[1] ?? 99);
});

once.each([
  ['an address after Latin words', 'account-history/idle', '2001:db8'],
  ['a header', 'account-tokens/made', 'Authorization'],
])('%s keeps its order on a page from right to left', async (_, state, words) => {
  const { page } = await visit(world, `/dev/screens/${state}/light?locale=ar`);
  const [first, last] = await page.getByText(words).evaluate((element) => {
    const text = element.firstChild as Text;
    return [0, text.length - 1].map((at) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().x;
    });
  });
  expect(last, 'the signs at its end').toBeGreaterThan(first ?? 999);
});

once('the words of the server in the states are words of the catalogue', () => {
  const words = (boot: (typeof STATES)[number][2]) => [
    ...[boot.notice, boot.success, boot.title, boot.detail, boot.next_label, boot.link.age],
    ...[boot.errors.form, ...Object.values(boot.errors.fields)],
    ...boot.factors.list.flatMap(({ added, used }) => [added.words, used.words]),
    ...boot.account.history.flatMap(({ text, day }) => [text, day]),
    ...[...boot.account.alerts, ...boot.client.scopes].map(({ text }) => text),
    ...[boot.account.states.password, boot.account.states.factors, boot.account.erase_at],
  ];
  const german = statesIn('de');
  STATES.forEach(([screen, state, boot], i) => {
    const inGerman = words((german[i] ?? [screen, state, boot])[2]);
    const same = words(boot).filter((text, at) => text && text === inGerman[at]);
    if (state !== 'hostile')
      expect.soft(same, `${screen}, ${state}: write say('key') in fixtures/states.mjs`).toEqual([]);
  });
});

once('the language menu is a form that needs no script', async () => {
  const { page } = await visit(world, '/dev/screens/signin/idle/light', {
    javaScriptEnabled: false,
    hydrate: false,
  });
  await stays(page, '**/auth/language');
  await page.locator('footer summary').click();
  const posted = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByRole('button', { name: 'Français' }).click();
  expect(new URL((await posted).url()).pathname).toBe('/auth/language');
  expect((await posted).postData()).toBe('to=%2Fauth%2Fsignin&locale=fr');
});

once('a screen has the common texts that its modules name, and the texts that none names', () => {
  const has = (screen: 'signin' | 'signup') => {
    const keys = Object.keys(messagesOf(screen, 'en'));
    return ['common.continue_with', 'common.offline', 'common.strength.weak', 'common.terms_label'].filter(
      (key) => keys.includes(key),
    );
  };
  expect(has('signin')).toEqual(['common.continue_with', 'common.offline']);
  expect(has('signup')).toHaveLength(4);
});
