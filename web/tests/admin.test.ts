/** The page of administration on recorded answers, but for invitations, keys, proofs, changes of many and the record. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { installation } from '../fixtures/admin.mjs';
import {
  act,
  complaints,
  focused,
  open,
  page,
  queryOf,
  refused,
  row,
  serve,
  settled,
  sideways,
  world,
} from './admin';
import { dimTexts, violations } from './axe';
import { darkStyle, restyle } from './browser';

const PLACES = [
  'people',
  'people/p1',
  'people/p0',
  'people/p4',
  'invitations',
  'apps',
  'keys',
  'record',
  'system',
  'system?webhook=crm',
];

test.each(PLACES)('%s has no fault in light and dark, wide and narrow', async (place) => {
  await open(place);
  await settled();
  expect.soft(await violations(page), '1280 px').toEqual([]);
  await restyle(page, await darkStyle(world));
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
  expect.soft(await dimTexts(page), 'dark').toEqual([]);
  await restyle(page, '*{transition:none!important}');
  expect.soft(await page.locator('.places [aria-current]').count()).toBe(1);
  await page.setViewportSize({ width: 360, height: 740 });
  expect.soft(await violations(page), '360 px').toEqual([]);
  expect.soft(await sideways(), '360 px').toBe(0);
  await page.setViewportSize({ width: 320, height: 640 });
  expect.soft(await sideways(), '320 px').toBe(0);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  expect.soft(await sideways(), '320 px and text of 200 %').toBe(0);
  expect.soft(complaints, 'errors and policy').toEqual([]);
});

test.each(['people', 'invitations', 'apps', 'keys', 'record'])(
  '%s without content says what to do',
  async (place) => {
    await open(place, installation({ people: 0 }));
    await page.locator('.none').waitFor();
    expect.soft(await page.locator('.none h2').count()).toBe(1);
    expect.soft(await page.locator('.none p').textContent()).toMatch(/\w{4,}/);
    expect.soft(await violations(page)).toEqual([]);
  },
);

test('a place whose file does not come says so and can be loaded again', async () => {
  await open('people');
  await settled();
  const files = '**/auth/assets/admin-apps-*';
  await page.route(files, (route) => route.abort());
  await page.getByRole('link', { name: 'Apps' }).click();
  await page.getByRole('heading', { name: 'This page didn’t load' }).waitFor();
  expect.soft(await violations(page)).toEqual([]);
  await page.unroute(files);
  await page.getByRole('button', { name: 'Reload' }).click();
  await settled();
});

test('apps are explained for a person, deleted, and copied', async () => {
  const fake = await open('apps');
  await page.getByRole('button', { name: 'Explain shop for a person' }).click();
  await page.getByLabel('Address of the person').fill('person1@example.com');
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await page.getByRole('dialog').getByText('May open it').waitFor();
  expect.soft(await page.getByRole('dialog').locator('pre').textContent()).toContain('"quota": 5');
  expect.soft(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Explain another' }).click();
  await page.getByLabel('Address of the person').fill('nobody@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('There is no such account.').waitFor();
  expect.soft(await page.getByLabel('Address of the person').inputValue()).toBe('nobody@example.com');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Delete agent.example.net' }).click();
  await page.getByRole('button', { name: 'Delete the client' }).click();
  await page.getByText('The client agent.example.net is deleted.').waitFor();
  expect
    .soft(fake.changes.map(({ path }) => path))
    .toEqual(['/auth/api/admin/apps/reg-01jd3k8v5q-agent.example.net/delete']);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('summary').first().click();
  await page.getByRole('button', { name: 'Copy the block of shop' }).click();
  await page.getByRole('button', { name: 'Copied the block of shop' }).waitFor();
  await page.getByRole('status').getByText('Copied.').waitFor();
  expect.soft(await page.evaluate(() => navigator.clipboard.readText())).toContain('[[app]]');
});

test('claims that are refused stay in the window, with their line', async () => {
  const fake = await open('people/p1');
  await page.getByRole('button', { name: /^Change the claims of/ }).click();
  const typed = '{\n "quota": 6,}';
  await page.getByLabel('JSON object').fill(typed);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText("Line 2: invalid character '}'").waitFor();
  expect.soft(await page.getByLabel('JSON object').inputValue()).toBe(typed);
  expect.soft(await violations(page)).toEqual([]);
  await page.getByLabel('JSON object').fill('{"quota": 6}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^The claims of .* are saved/).waitFor();
  const before = '{\n  "quota": 5,\n  "department": "Research"\n}';
  expect.soft(fake.changes.at(-1)?.body).toEqual({ claims: '{"quota": 6}', before });
  const { length } = fake.changes;
  await page.getByRole('button', { name: /^Change the claims of/ }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Nothing was changed.').waitFor();
  expect(fake.changes).toHaveLength(length); // so another administrator's change stays
});

test('a search and filters are in the address, and Back restores them', async () => {
  await open('people');
  await page.getByLabel('Search people').fill('person4');
  await expect.poll(queryOf).toBe('?q=person4');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(11);
  await page.locator('summary', { hasText: 'Filters' }).click();
  await page.getByLabel('State').selectOption('active');
  await page.getByLabel('Second factor').selectOption('none');
  await expect.poll(queryOf).toBe('?q=person4&state=active&factor=none');
  const address = page.url();
  await settled();
  const few = await page.locator('tbody tr').count();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Remove the filter State' }).press('Enter');
  await expect.poll(queryOf).toBe('?q=person4&factor=none');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('.chip')?.textContent))
    .toContain('Second factor');
  await page.goBack();
  expect(page.url()).toBe(address);
  await expect.poll(() => page.locator('tbody tr').count()).toBe(few);
  await page.getByRole('link', { name: 'Kasia Nowak' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Kasia Nowak' }).waitFor();
  await page.goBack();
  await expect.poll(() => page.getByLabel('Search people').inputValue()).toBe('person4');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(few);
});

test('the filters close with Escape and with a press beside them, and not with one inside', async () => {
  await open('people');
  const filters = page.locator('summary', { hasText: 'Filters' });
  const role = page.getByLabel('Role', { exact: true });
  await filters.click();
  await page.locator('.filters-panel').click({ position: { x: 4, y: 4 } });
  await role.press('Escape');
  await role.waitFor({ state: 'hidden' });
  expect(await filters.evaluate((it) => it === document.activeElement)).toBe(true);
  await filters.press('Enter');
  await role.fill('staff');
  await role.evaluate((field) => {
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, isComposing: true }));
    field.blur(); // as the key that puts the keyboard of a phone away
  });
  expect(await page.getByRole('group', { name: 'Filters' }).isVisible()).toBe(true);
  await page.getByText('Administration', { exact: true }).click();
  await role.waitFor({ state: 'hidden' });
  await filters.click();
  await page.getByRole('heading', { name: 'People' }).click();
  await role.waitFor({ state: 'hidden' });
  await filters.click();
  await page.getByLabel('Search people').focus();
  await role.waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: 'Remove the filter Role: staff' }).waitFor();
});

test('the administrators without a passkey are found, also those who have an app', async () => {
  const fake = installation();
  for (const [n, factors] of [
    { totp: 1, passkeys: 0 },
    { totp: 0, passkeys: 0 },
    { totp: 1, passkeys: 1 },
  ].entries())
    Object.assign(fake.people[n + 3] ?? {}, {
      roles: ['portico:admin'],
      factors: { ...factors, recovery_codes: 0 },
    });
  await open('people', fake);
  await page.locator('summary', { hasText: 'Filters' }).click();
  await page.getByLabel('Role').fill('portico:admin');
  await expect.poll(queryOf).toBe('?role=portico%3Aadmin');
  await page.getByLabel('Second factor').selectOption('No passkey');
  await expect.poll(queryOf).toBe('?role=portico%3Aadmin&factor=no-passkey');
  await page.getByRole('link', { name: 'Remove the filter Second factor: No passkey' }).waitFor();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
});

test('a whole address, its beginning and a name are asked for as such', async () => {
  const asked: (string | null)[] = [];
  await open('people', installation(), 1280, (_, path) => {
    asked.push(new URLSearchParams(path.split('?')[1]).get('by'));
    return false;
  });
  await page.getByLabel('Search people').fill('person4@example.com');
  await expect.poll(() => asked).toContain('address');
  await page.getByLabel('Search people').fill('person');
  await expect.poll(() => asked).toContain('address-prefix');
  await page.getByLabel('Search in').selectOption('name');
  await expect.poll(() => asked).toContain('name-prefix');
});

test('pages go on and back, and a partial search goes on by itself', async () => {
  await open('people');
  await page.getByRole('link', { name: 'Next' }).click();
  await row('person25@').waitFor();
  expect(queryOf()).toBe('?after=25');
  expect(await focused()).toBe('people'); // the table, from its beginning
  expect(await page.locator('table').evaluate((it) => Math.round(it.getBoundingClientRect().top))).toBe(0);
  await page.getByRole('link', { name: 'Next' }).click();
  await row('person50@').waitFor();
  expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Previous' }).click();
  await row('person25@').waitFor();
  await page.goBack();
  await row('mara@').waitFor();
  await page.context().close();

  let parts = 0;
  await open('people?role=rare', installation(), 1280, async (route, path) => {
    if (!path.includes('/people')) return false;
    parts += 1;
    await route.fulfill({ json: { people: [], next: `c${parts}`, searched: true } });
    return true;
  });
  await page.getByText('Only part of the list was searched.').waitFor();
  expect(parts, 'requests').toBe(4);
  expect(await page.getByRole('link', { name: 'Search on' }).getAttribute('href')).toContain('after=c4');
  await page.context().close();

  await open('people?role=rare&after=c4', installation(), 1280, async (route, path) => {
    if (!path.includes('/people')) return false;
    await route.fulfill({
      json: { people: [], ...(path.includes('c4') ? { next: 'c5', searched: true } : {}) },
    });
    return true;
  });
  await page.getByRole('heading', { name: 'Nobody matches' }).waitFor();
  expect(await page.getByRole('button', { name: 'All that match' }).count()).toBe(1); // on the last page, too
});

test('Shift selects a range, and a selection survives an action and another page', async () => {
  const fake = await open('people');
  await page.getByLabel('Select Jonas Weber').first().click();
  await page
    .getByLabel('Select Wei Zhang')
    .first()
    .click({ modifiers: ['Shift'] });
  await page.getByText('5 people selected').waitFor();
  await page.getByLabel('Select Amélie Dubois').first().focus();
  await page.keyboard.press('Space');
  await page.getByText('4 people selected').waitFor();
  await act('Jonas Weber', 'Disable');
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await page.getByText('The account of Jonas Weber is disabled.').waitFor();
  expect(fake.people[1]?.state).toBe('disabled');
  await expect.poll(() => row('person1@').locator('.wide').getByText('Disabled').count()).toBe(1);
  await page.getByText('4 people selected').waitFor();
  expect(await focused()).toBe('Actions for Jonas Weber');
  await page.getByRole('link', { name: 'Next' }).click();
  await row('person25@').waitFor();
  await page.getByText('4 people selected').waitFor();
});

test('the actions of a row work by keyboard alone', async () => {
  const fake = await open('people');
  // no frame has the menu at another place than its own
  await page.evaluate(() => {
    const shown = new Set<string>();
    Object.assign(window, { shown });
    const look = () => {
      const menu = document.querySelector('[role=menu]:popover-open');
      const { top = 0, left = 0 } = menu?.getBoundingClientRect() ?? {};
      if (menu?.checkVisibility({ visibilityProperty: true })) shown.add(`${left} ${top}`);
      requestAnimationFrame(look);
    };
    look();
  });
  await page.getByRole('button', { name: 'Actions for Jonas Weber' }).first().focus();
  await page.keyboard.press('ArrowDown');
  const at = () => page.evaluate(() => document.activeElement?.textContent);
  await expect.poll(at).toBe('Mail a link to get in');
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate('shown.size')).toBe(1);
  await page.keyboard.press('End');
  expect(await at()).toBe('Delete');
  await page.keyboard.press('ArrowDown');
  expect(await at()).toBe('Mail a link to get in');
  for (const name of ['Disable', 'Delete', 'Disable']) {
    await page.keyboard.press('d');
    expect(await at()).toBe(name);
  }
  await page.keyboard.press('s');
  expect(await at()).toBe('Sign out everywhere');
  await page.keyboard.press('Escape');
  expect(await focused()).toBe('Actions for Jonas Weber');
  await page.keyboard.press('Enter');
  await expect.poll(at).toBe('Mail a link to get in');
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign Jonas Weber out everywhere?' }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(fake.changes, 'no key has pressed the button').toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Jonas Weber is signed out everywhere.').waitFor();
  expect(fake.changes.map(({ path }) => path)).toEqual(['/auth/api/admin/people/p1/end-sessions']);
  expect(await focused()).toBe('Actions for Jonas Weber');
});

test('what ends for good with an administrator is said before, and of nobody else', async () => {
  const fake = installation();
  fake.people[1]?.roles.push('portico:admin');
  await open('people', fake);
  const said = async () => {
    await page.getByRole('dialog').waitFor();
    const words = (await page.getByRole('dialog').textContent()) ?? '';
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    return /ends for good what an administrator answers for/.test(words);
  };
  for (const action of ['Disable', 'Delete']) {
    await act('Jonas Weber', action);
    expect.soft(await said(), action).toBe(true);
    await act('Amélie Dubois', action);
    expect.soft(await said(), action).toBe(false);
  }
  await page.getByLabel('Select Jonas Weber').first().click();
  await act('the selected people', 'Disable');
  expect.soft(await said(), 'Disable many').toBe(true);
  for (const role of ['portico:admin', 'staff']) {
    await act('the selected people', 'Take away a role');
    await page.getByLabel('Role', { exact: true }).last().fill(role);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Take away a role: 1 person' }).waitFor();
    expect.soft(await said(), role).toBe(role !== 'staff');
  }
  for (const place of ['people/p1', 'people/p2']) {
    await page.goto(`${world.origin}/auth/admin/${place}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    expect.soft(await said(), place).toBe(place === 'people/p1');
  }
});

test('a refused change shows what holds now', async () => {
  const fake = installation();
  const jonas = Object.assign(fake.people[1] ?? {}, { state: 'waiting' });
  await open('people', fake, 1280, async (route, path) => {
    if (!path.endsWith('/refuse')) return false;
    jonas.state = 'active'; // by another administrator
    await route.fulfill(refused('approval.not_waiting', 409));
    return true;
  });
  await act('Jonas Weber', 'Refuse');
  await page.getByRole('button', { name: 'Refuse' }).last().click();
  await page.getByText('This account no longer waits for an approval.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await row('person1@').locator('.wide').getByText('Active', { exact: true }).waitFor();
});

test('a page that stays open overnight has other words for its times', async () => {
  const fake = installation();
  const now = new Date();
  Object.assign(fake.people[1] ?? {}, { seen_at: now.toISOString() });
  await open('people', fake);
  const seen = row('person1@').getByText('today', { exact: true }); // the hour is not known exactly
  expect(await seen.getAttribute('title')).toMatch(/, or later$/);
  await page.clock.setFixedTime(now.getTime() + 86_400_000);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange'))); // somebody looks at it
  const yesterday = row('person1@').getByText('yesterday');
  await yesterday.waitFor();
  expect(await yesterday.getAttribute('title')).toMatch(/, or up to an hour later$/);
  await page.clock.setFixedTime(now); // the newest event was an hour ago, today or yesterday
  await page.goto(`${world.origin}/auth/admin/people/p1`);
  const day = page.locator('.day').first();
  const before = await day.textContent();
  await page.clock.setFixedTime(now.getTime() + 5 * 86_400_000);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await expect.poll(() => day.textContent()).not.toBe(before);
});

test('a window stays until the server has answered its change, and says a failure', async () => {
  await open('people', installation(), 1280, (_, path) => path.endsWith('/disable')); // without an answer
  await act('Jonas Weber', 'Disable');
  await page.clock.install();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Disable' }).click();
  const cancel = dialog.getByRole('button', { name: 'Cancel' });
  expect(await cancel.getAttribute('aria-disabled')).toBe('true');
  await cancel.click({ force: true });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.evaluate((it: HTMLDialogElement) => it.close()); // as the second Back of a phone does
  await dialog.waitFor(); // again
  await page.clock.fastForward(21_000);
  await dialog.getByText('Portico took too long to answer.').waitFor();
  await cancel.click();
  await dialog.waitFor({ state: 'detached' });
});

test('the day that is chosen as an end is the day that is shown', async () => {
  const fake = await open('people/p1');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' });
  await page.reload();
  const end = page.getByLabel('End of the account');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByText('The day begins at midnight in your time zone.').waitFor();
  await end.fill('2031-05-05');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('May 5, 2031, 12:00').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await end.inputValue()).toBe('2031-05-05');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Nothing was changed.').waitFor();
  await end.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit' }).click();
  await end.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The changes are saved.').waitFor();
  expect(fake.changes.map(({ body }) => body)).toEqual([{ at: '2031-05-05T04:00:00.000Z' }, { at: '' }]);
});

test('a deletion needs the address, and one’s own account offers nothing that locks out', async () => {
  const fake = await open('people/p1');
  await act('Jonas Weber', 'Delete');
  const last = page.getByRole('button', { name: 'Delete the account' });
  expect(await last.getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel(/to confirm/).fill('person1@example.co');
  await last.click({ force: true }); // it is not ready
  expect(fake.changes).toEqual([]);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('ask-typed');
  await page.getByLabel(/to confirm/).fill('person1@example.com');
  await last.click();
  await page.getByText('of Jonas Weber is being deleted').waitFor();
  expect(fake.changes).toEqual([
    { method: 'POST', path: '/auth/api/admin/people/p1/delete', body: { email: 'person1@example.com' } },
  ]);
  await page.context().close();

  await open('people/p0');
  await page.getByRole('button', { name: 'Actions for Mara Lindqvist' }).click();
  const items = await page.getByRole('menuitem').allTextContents();
  expect(items).toEqual(['Lift the limits', 'Sign out everywhere']);
});

test('who is being deleted is shown and found as such, and only the deletion can be undone', async () => {
  const fake = await open('people?state=leaving');
  await row('person4@').locator('.wide').getByText('Being deleted').waitFor();
  expect(await page.locator('tbody tr').count()).toBe(2);
  await page.getByRole('button', { name: 'Actions for سارة منصور' }).click();
  const items = ['Mail a link to get in', 'Lift the limits', 'Undo the deletion', 'Sign out everywhere'];
  expect(await page.getByRole('menuitem').allTextContents()).toEqual([...items, 'Remove second factors']);
  await page.context().close();

  await open('people/p4', fake);
  await page.getByText('The account is disabled, and is being deleted.').waitFor();
  await act('سارة منصور', 'Undo the deletion');
  await page.getByRole('button', { name: 'Keep the account' }).click();
  await page.getByText('The account of سارة منصور stays.').waitFor();
  expect(fake.changes.map(({ path }) => path)).toEqual(['/auth/api/admin/people/p4/restore']);
  await page.locator('.head .tag').getByText('Active').waitFor();
});

test('a change of which a part was refused says so, keeps what was typed, and sends the rest again', async () => {
  let refuses = true;
  const fake = await open('people/p1', installation(), 1280, async (route, path) => {
    if (!refuses || !path.endsWith('/address')) return false;
    await route.fulfill(refused('account.exists', 409));
    return true;
  });
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Jonas W.');
  await page.getByLabel('Primary address').fill('person2@example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText('Saved: the name. Not saved: the primary address. Another account has this address.')
    .waitFor();
  expect(await page.getByLabel('Primary address').inputValue()).toBe('person2@example.com');
  refuses = false;
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The changes are saved.').waitFor();
  expect(fake.changes.map(({ path }) => path.split('/').at(-1))).toEqual(['name', 'address']);
});

test('the page of a person says why sign-in may fail', async () => {
  await open('people/p1');
  const reasons = await page.getByRole('region', { name: 'Why sign-in may fail' }).textContent();
  expect(reasons).toMatch(/passwords in unknown browsers until/);
  expect(reasons).toMatch(/550 5\.1\.1 mailbox unavailable/);
  expect(reasons).not.toMatch(/proven/);
  const needs = page.getByRole('region', { name: 'Needs a role' }).getByRole('listitem');
  expect(await needs.allTextContents()).toEqual([
    'The app: role:admin /admin/* ',
    'Client wiki: role:reader portico.toml:14',
  ]);
  const fake = installation();
  await open('people/p2', fake);
  await page.getByText('Nobody has proven the address since the import.').waitFor();
  Object.assign(fake.people[2] ?? {}, { state: 'waiting' });
  await page.reload();
  await page.getByText('The account waits for an approval.').waitFor();
  expect(await page.getByText('Nobody has proven the address').count()).toBe(0);
  const timeline = page.getByRole('region', { name: 'What happened' });
  const admin = timeline.getByRole('link', { name: 'mara@example.com' }).first();
  expect(await admin.getAttribute('href')).toBe('/auth/admin/people/p0');
  await page.getByLabel('Failures').check();
  await expect.poll(() => page.locator('.days .entry:not(.failed)').count()).toBe(0);
  await page.getByRole('button', { name: 'Show older' }).click();
  expect(await page.locator('.days .entry').count()).toBeGreaterThan(12);
  const older = timeline.getByRole('link', { name: 'in the record' });
  expect(await older.getAttribute('href')).toBe('/auth/admin/record?person=p2');
});

test('an error has a retry, and loading rows keep the place of the list', async () => {
  let broken = 'unavailable';
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await open('people', installation(), 1280, async (route, path) => {
    if (!path.includes('/people')) return false;
    if (broken) await route.fulfill(refused(broken));
    else await held;
    return broken !== '';
  });
  await page.getByText('This is temporarily unavailable.').waitFor();
  broken = 'internal';
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('because of an error of its own').waitFor();
  await page.getByText('01JD3K8V5Q').waitFor();
  expect(await violations(page)).toEqual([]);
  broken = '';
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.reload();
  await page.locator('.bones').first().waitFor();
  const before = await page.locator('tbody tr').first().boundingBox();
  release();
  await row('mara@').waitFor();
  const after = await page.locator('tbody tr').first().boundingBox();
  expect([after?.y, after?.height]).toEqual([before?.y, before?.height]);
});

test('a key can be asked for before the list of keys is there', async () => {
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await open('keys', installation(), 1280, async (_, path) => {
    if (path.includes('/keys')) await held;
    return false;
  });
  await page.getByRole('button', { name: 'New key' }).click();
  release();
  await page.getByLabel('people:read').waitFor();
});

test('markup and formulas in a shown text stay text', async () => {
  const fake = installation();
  const evil = '<img src=x onerror=alert(1)>\u202E=HYPERLINK("x")';
  Object.assign(fake.people[1] ?? {}, { name: evil, roles: [evil] });
  await open('people', fake);
  await page.getByRole('link', { name: evil }).click();
  await page.getByRole('heading', { level: 1, name: evil }).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a long name breaks no word of other cells', async () => {
  const fake = installation();
  const name = 'W'.repeat(70);
  Object.assign(fake.people[1] ?? {}, { name });
  await open('people', fake);
  await page.getByRole('link', { name }).waitFor();
  const lines = await page.locator('td > .tag', { hasText: /^[\w ]+$/ }).evaluateAll((tags) =>
    tags.map((tag) => {
      const words = document.createRange();
      words.selectNodeContents(tag);
      return words.getClientRects().length;
    }),
  );
  expect(new Set(lines)).toEqual(new Set([1]));
});

test('webhooks are tested and their events sent again, with the keyboard alone', async () => {
  const fake = await open('system');
  const focused = () =>
    page.evaluate(() => document.activeElement?.ariaLabel || document.activeElement?.textContent);
  const press = async (name: string) => {
    for (let n = 0; n < 40 && (await focused()) !== name; n++) await page.keyboard.press('Tab');
    expect(await focused()).toBe(name);
    await page.keyboard.press('Enter');
  };
  await settled();
  await page.getByRole('button', { name: 'Send again: Sign-out message to wiki' }).waitFor();
  await press('Test crm');
  await page.getByRole('dialog').waitFor();
  await press('Send the test');
  await page
    .getByRole('dialog', { name: 'crm did not take the test' })
    .getByText('host not found', { exact: true })
    .waitFor();
  await press('Close');
  await page.goto(`${world.origin}/auth/admin/system?webhook=crm`);
  expect.soft(await row('Tried, waits').locator('pre').textContent()).toContain('<h1>Error</h1>');
  await press('Actions for account.addresses_changed, msg_06ez1vw05272r9z44ym01v24r2');
  await page.getByRole('menuitem', { name: 'Send again' }).waitFor();
  await press('Send again');
  await page.getByRole('dialog', { name: 'Send' }).waitFor();
  await press('Send again');
  await page.getByRole('button', { name: 'Send dropped again' }).click();
  await page.getByRole('dialog', { name: 'dropped' }).waitFor();
  await press('Send all again');
  await page.getByText('12 events are on their way.').waitFor();
  const sent = fake.changes.map(({ path, body }) => `${path.split('/').pop()} ${body.id ?? body.before}`);
  expect(sent).toEqual([
    'test undefined',
    'retry msg_06ez1vw05272r9z44ym01v24r2',
    'retry undefined',
    'retry 2026-01-02T15:04:05Z',
  ]);
});

test('a webhook without dropped events says that none was sent again', async () => {
  await open('system?webhook=crm', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/retry')) return false;
    await route.fulfill({ json: { queued: 0, more: false } });
    return true;
  });
  await page.getByRole('button', { name: 'Send dropped again' }).click();
  await page.getByRole('button', { name: 'Send all again' }).click();
  await page.getByText('No event was dropped.').waitFor();
});

test('the system says shortly why a server was not reached, and what could not be read', async () => {
  let broken = true;
  await open('system', installation(), 1280, async (route, path) => {
    if (!broken || !path.endsWith('/webhooks')) return false;
    await route.fulfill(refused('unavailable'));
    return true;
  });
  const entry = page.locator('.entry', { hasText: 'Sign-out message' });
  await entry.getByText('connection refused', { exact: true }).waitFor();
  expect.soft(await entry.locator('q').textContent()).toContain('dial tcp');
  await page.getByText('This is temporarily unavailable.').waitFor();
  broken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Test crm' }).waitFor();
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('status').getByText('Everything is checked again.').waitFor();
});

test('a narrow window shows where it is in the row of places', async () => {
  await open('system', installation(), 360);
  const place = await page.locator('.places [aria-current]').boundingBox();
  expect((place?.x ?? 999) + (place?.width ?? 0)).toBeLessThanOrEqual(360);
});

test('the page says without script that it needs one', async () => {
  const context = await world.browser.newContext({ javaScriptEnabled: false });
  await serve(context);
  const plain = await context.newPage();
  await plain.goto(`${world.origin}/auth/admin/people`);
  expect(await plain.locator('main').textContent()).toMatch(/needs JavaScript/);
  await context.close();
});

test('no file of another page names one of administration', () => {
  const dist = new URL('../dist/', import.meta.url);
  const files = ['documents', 'styles', 'assets'].flatMap((folder) =>
    readdirSync(new URL(folder, dist)).map((file) => `${folder}/${file}`),
  );
  const others = files.filter((file) => /\.(html|css|js)$/.test(file) && !/\/admin[.-]/.test(file));
  expect(others.length).toBeGreaterThan(100);
  for (const file of others)
    expect(readFileSync(new URL(file, dist), 'utf8'), file).not.toMatch(/assets\/admin-|\.\/admin-/);
});
