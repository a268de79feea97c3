/** The page that imports people, on recorded answers. */
import { expect, test } from 'vitest';
import { installation } from '../fixtures/admin.mjs';
import { complaints, open, page, sideways, world } from './admin';
import { violations } from './axe';
import { darkStyle, restyle } from './browser';

test('people are imported from a file, with its problems, and a reload goes on', async () => {
  const fake = await open('people', installation({ proven: false }));
  await page.getByRole('link', { name: 'Import people', exact: true }).click();
  await page
    .getByLabel('File of people')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nno-address\n') });
  await page.getByLabel('Change accounts').check();
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Continue' }).click();
  const popup = await opened;
  const back = new URL(popup.url()).searchParams.get('return_to') ?? '';
  fake.proven = true;
  const closed = popup.waitForEvent('close');
  await popup.goto(world.origin + back).catch(() => {}); // it closes itself
  await closed;
  await page.getByText('line 4').waitFor();
  expect(fake.changes.map(({ path }) => path.replace('/auth/api/admin/', ''))).toEqual([
    'imports',
    'imports/i1/file',
  ]);
  expect(fake.changes[0]?.body).toMatchObject({ update: true });
  await page.getByRole('heading', { name: 'What will be done' }).waitFor();
  const step = await page.getByRole('status').getByText('The file is checked: 1,200').elementHandle();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await page.getByText('passkeys for old.example.com').waitFor();
  expect(await page.getByRole('link', { name: 'Download these lines' }).getAttribute('href')).toContain(
    'imports/i1/rejected',
  );
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Import 1,200 people and skip 140 lines' }).press('Enter');
  await page.getByRole('progressbar').waitFor();
  await expect.poll(() => step?.textContent()).toBe('The import has begun'); // in the same place
  await page.reload();
  await page.getByText('Done, 1,343 of 1,343 lines').waitFor();
  expect(await violations(page)).toEqual([]);
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  expect(complaints).toEqual([]);
});

test('whoever has gone elsewhere during a long upload stays there', async () => {
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await open('people?import=new', installation(), 1280, async (_, path) => {
    if (path.endsWith('/file')) await held;
    return false;
  });
  await page
    .getByLabel('File of people')
    .setInputFiles({ name: 'p', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('The file is sent and checked.').waitFor();
  await page.getByRole('link', { name: 'All people' }).focus();
  release();
  await page.getByRole('heading', { name: 'What will be done' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('All people');
});

test('what the file does not say goes along, and a wrong password keeps what was typed', async () => {
  const fake = await open('people?import=new', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/file')) return false;
    const why = 'the known password does not fit its hash';
    const fields = [{ name: 'known_password', code: 'import.file', params: { why } }];
    await route.fulfill({ status: 422, json: { status: 422, code: 'invalid', fields, request_id: 'r' } });
    return true;
  });
  await page
    .getByLabel('File of people')
    .setInputFiles({ name: 'users.json', mimeType: 'text/plain', buffer: Buffer.from('{}') });
  await page.getByText('What the file does not say itself').click();
  await page.getByLabel('Written by').selectOption('Firebase');
  await page.getByLabel('Parameters').fill(' signer_key=AA==\n\nrounds=8 \n');
  await page.getByLabel('Email of a person').fill('mara@example.com');
  await page.getByLabel('Password of this person').fill(' secret ');
  expect(await violations(page)).toEqual([]);
  for (const width of [360, 320, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    expect.soft(await sideways(), `${width} px`).toBe(0);
  }
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('Nothing can be imported: the known password does not fit its hash.').waitFor();
  expect(fake.changes[0]?.body).toEqual({
    update: false,
    keep_subject: false,
    issuer: '',
    from: 'firebase',
    parameters: ['signer_key=AA==', 'rounds=8'],
    known_email: 'mara@example.com',
    known_password: ' secret ',
  });
  expect(await page.getByLabel('Parameters').inputValue()).toContain('rounds=8');
  expect(complaints).toEqual([]);
});

test('a file that cannot be read says why, and the form stays', async () => {
  await open('people?import=new', installation(), 1280, async (route, path) => {
    if (!path.endsWith('/file')) return false;
    const fields = [
      { name: 'file', code: 'import.file', params: { why: 'the file is in UTF-16: save it as UTF-8' } },
    ];
    await route.fulfill({ status: 422, json: { status: 422, code: 'invalid', fields, request_id: 'r' } });
    return true;
  });
  await page
    .getByLabel('File of people')
    .setInputFiles({ name: 'p', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByText('save it as UTF-8').waitFor();
  expect(await page.getByRole('button', { name: 'Check the file' }).isVisible()).toBe(true);
});

test.each(['checked', 'done', ''])('the page of an import has no fault: %s', async (file) => {
  const fake = installation();
  fake.file = file;
  await open(`people?import=${file ? 'i1' : 'new'}`, fake);
  await page.locator('main .card').first().waitFor();
  for (const dark of [false, true]) {
    if (dark) await restyle(page, await darkStyle(world));
    expect.soft(await violations(page), `dark ${dark}`).toEqual([]);
  }
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 740 });
    expect.soft(await sideways(), `${width} px`).toBe(0);
  }
  expect.soft(complaints).toEqual([]);
});
