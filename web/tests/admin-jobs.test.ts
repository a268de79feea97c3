/** Changes of many people, on recorded answers. */
import { expect, test } from 'vitest';
import { installation } from '../fixtures/admin.mjs';
import { act, complaints, open, page, refused } from './admin';
import { violations } from './axe';

test('a change of many says what is skipped, runs as a job, and shows it after a reload', async () => {
  const fake = await open('people');
  await page.getByLabel('Select Mara Lindqvist').first().click();
  await page.getByLabel('Select Jonas Weber').first().click();
  await act('the selected people', 'Disable');
  await page.getByRole('heading', { name: 'Disable: 1 person' }).waitFor();
  await page.getByText('1 person will be disabled and signed out. This runs').waitFor();
  await page.getByText('mara@example.com: is you').waitFor();
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await page.getByText('The job has begun.').waitFor();
  await page.getByRole('region', { name: 'Job: Disable' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await page.getByText(/Done, 2 of 2 people/).waitFor();
  await page.getByText('1 of 2 skipped').waitFor();
  expect(fake.people[1]?.state).toBe('disabled');

  await page.getByRole('button', { name: 'All that match' }).click();
  await page.getByRole('menuitem', { name: 'Give a role' }).click();
  await page.getByLabel('Role', { exact: true }).last().fill('guest');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Give a role: 60 people' }).waitFor();
  await page.getByRole('button', { name: 'Give a role' }).click();
  await page.getByText('The job has begun.').waitFor();
  expect(fake.changes.at(-1)?.body).toEqual({ action: 'give-role', role: 'guest', all: true, filter: '' });
});

test('a change of many that would change nobody cannot be begun', async () => {
  const fake = await open('people');
  await page.getByLabel('Select Mara Lindqvist').first().click();
  await act('the selected people', 'Disable');
  await page.getByRole('heading', { name: 'Disable: nobody' }).waitFor();
  await page.getByText('mara@example.com: is you').waitFor();
  expect(await page.getByRole('dialog').getByRole('button').allInnerTexts()).toEqual(['Close']);
  await page.getByRole('button', { name: 'Close' }).click();
  expect(fake.changes).toEqual([]);
});

test('a change of more people than are counted says what is known of them', async () => {
  const trial = { total: 0, more: false, skips: 0, skipped: [] };
  await open('people', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/jobs') || route.request().method() === 'GET') return false;
    await route.fulfill({ json: trial });
    return true;
  });
  const act = async (action: string) => {
    await page.getByRole('button', { name: 'All that match' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Disable');
  await page.getByText('Nobody would be changed.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  Object.assign(trial, { total: 9, skips: 9, more: true });
  await act('Disable');
  await page.getByRole('heading', { name: 'Disable', exact: true }).waitFor();
  await page.getByText('Nobody counted so far would be changed. The job goes through the rest.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await act('Give a role');
  await page.getByLabel('Role', { exact: true }).last().fill('guest');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Give the role guest' }).waitFor();
});

const JOB = { id: 'j1', action: 'disable', role: '', done: 1, total: 3, more: false, skips: 0, skipped: [] };

/** Opens the list of people while there is a job. */
const openWithJob = (job: object, stop = () => {}) =>
  open('people', installation(), 1280, async (route, path) => {
    if (path.endsWith('/jobs/j1/stop')) stop();
    else if (!path.endsWith('/jobs')) return false;
    await route.fulfill({ json: { jobs: [{ ...JOB, ...job }] } });
    return true;
  });

test('a job that has stopped says why in one sentence', async () => {
  const begun = { action: 'take-role', role: 'guest', by: 'the key HR import' };
  await openWithJob({ ...begun, state: 'failed', reason: 'key' });
  await page
    .getByText('the key that began it has ended, 1 of 3 people, begun by the key HR import')
    .waitFor();
  await page.getByRole('button', { name: 'Hide: Take away the role guest' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'People' }).waitFor();
  expect(await page.getByText('the key that began it has ended').count()).toBe(0);
});

test('a job is shown and hidden in a browser without storage', async () => {
  await openWithJob({ state: 'done', reason: '', by: 'mara@example.com' });
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, 'sessionStorage', {
      get: () => {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Hide: Disable' }).click();
  await page.getByText('begun by mara@example.com').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('a job is asked about again after a broken connection, and not after a canceled proof', async () => {
  let answer: 'job' | 'broken' | 'unproven' = 'job';
  let asked = 0;
  await open('people', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/jobs')) return false;
    asked += 1;
    if (answer === 'broken') await route.abort();
    else if (answer === 'unproven') await route.fulfill(refused('proof.needed', 401));
    else await route.fulfill({ json: { jobs: [{ ...JOB, state: 'running', by: 'mara@example.com' }] } });
    return true;
  });
  await page.clock.install();
  const later = async () => {
    await page.clock.runFor(1000);
    return asked;
  };
  await page.getByText('Running, 1 of 3 people').waitFor();
  answer = 'broken';
  await expect.poll(later).toBeGreaterThan(asked + 4); // a request has two more tries
  answer = 'unproven';
  const proof = page.getByRole('heading', { name: 'Confirm it’s you' });
  await expect.poll(async () => (await later()) && proof.isVisible()).toBe(true);
  const before = asked;
  await page.getByRole('button', { name: 'Cancel' }).click();
  await proof.waitFor({ state: 'hidden' });
  for (let second = 0; second < 5; second++) expect(await later()).toBe(before);
});

test('the end of a job is told, also to screen readers, and that of an earlier one is not', async () => {
  const job = { state: 'running', reason: '', by: 'mara@example.com' };
  await openWithJob(job);
  await page.getByText('Running, 1 of 3 people').waitFor();
  const said = page.locator('[role=status].said');
  expect(await said.textContent()).toBe('');
  Object.assign(job, { state: 'done', done: 3 });
  await expect.poll(() => said.textContent()).toBe('Disable: Done.');
  await page.reload();
  await page.getByText('Done, 3 of 3 people').waitFor();
  expect(await said.textContent()).toBe('');
});

test('the end of a job is read in a window that is open', async () => {
  const job = { state: 'running', reason: '', by: 'mara@example.com' };
  await openWithJob(job);
  await page.getByText('Running, 1 of 3 people').waitFor();
  await act('Jonas Weber', 'Disable');
  Object.assign(job, { state: 'done', done: 3 });
  const inside = page.getByRole('dialog').getByRole('status').filter({ hasText: 'Disable: Done.' });
  await inside.waitFor();
});

test('a job that comes after the people pushes nothing down', async () => {
  let answer = () => {};
  const held = new Promise<void>((done) => {
    answer = done;
  });
  const json = { jobs: [{ ...JOB, state: 'running', reason: '', by: 'mara@example.com' }] };
  await open('people', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/jobs')) return false;
    await held;
    await route.fulfill({ json });
    return true;
  });
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /admin\/people\?/.test(name)),
  );
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))),
  );
  answer();
  await page.getByRole('region', { name: 'Job: Disable' }).waitFor();
  await page.locator('tbody tr').first().waitFor();
  const shifts = await page.evaluate(
    () =>
      new Promise<number>((done) => {
        const all = (list: PerformanceObserverEntryList) => done(list.getEntries().length);
        new PerformanceObserver(all).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(0))));
      }),
  );
  expect(shifts).toBe(0);
});

test('a job that runs can be stopped', async () => {
  const job = { state: 'running', reason: '', by: 'mara@example.com' };
  await openWithJob(job, () => Object.assign(job, { state: 'failed', reason: 'stopped' }));
  await page.getByRole('button', { name: 'Stop: Disable' }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop', exact: true }).last().click();
  await page.getByText('Disable: Stopped by an administrator or a key.').waitFor();
  await page.getByText('Stopped by an administrator or a key, 1 of 3 people').waitFor();
});

test('a change of many is counted in its window, which says why it is refused', async () => {
  let answer = () => {};
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await open('people', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/jobs') || route.request().method() === 'GET') return false;
    await held;
    const fields = [{ name: 'people', code: 'job.size', params: {} }];
    await route.fulfill({ status: 422, json: { ...refused('request.invalid').json, status: 422, fields } });
    return true;
  });
  await page.getByLabel('Select Jonas Weber').first().click();
  await act('the selected people', 'Disable');
  await page.getByRole('dialog').locator('[aria-busy=true]').waitFor();
  expect(await violations(page)).toEqual([]);
  answer();
  const words = page.getByRole('dialog').getByText('At most 500 people can be selected at once.');
  const space = await words.evaluate((p) => {
    const [top = 0, line = 0] = ['.message-alert', '.ask-end'].map(
      (of) => p.closest(of)?.getBoundingClientRect().y,
    );
    return top - line;
  });
  expect(space, 'below the line').toBeGreaterThan(4);
  await page.getByRole('button', { name: 'Cancel' }).click();
});
