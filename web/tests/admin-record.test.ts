/** The record and the addresses of lists on the page of administration. */
import { expect, test } from 'vitest';
import { installation } from '../fixtures/admin.mjs';
import { complaints, open, page, queryOf, refused } from './admin';

test('a link to a page of the list that the server cannot read is refused in words', async () => {
  await open('people?after=xx', installation(), 1280, async (route, path) => {
    if (!path.includes('/people?')) return false;
    const fields = [{ name: 'after', code: 'query.invalid', params: {} }];
    await route.fulfill({ status: 422, json: { ...refused('invalid', 422).json, fields } });
    return true;
  });
  await page.getByText('This search isn’t valid.').waitFor();
});

test('a network of the record that is none is refused in words', async () => {
  await open('record?network=office', installation(), 1280, async (route, path) => {
    if (!path.includes('/record')) return false;
    const fields = [{ name: 'network', code: 'field.value', params: {} }];
    await route.fulfill({ status: 400, json: { ...refused('request.malformed', 400).json, fields } });
    return true;
  });
  await page.getByText('Enter the network as an address, such as 192.0.2.1').waitFor();
});

test('an address with a day that does not exist shows the list all the same', async () => {
  await open('people?created_from=tomorrow');
  await page.getByRole('link', { name: 'Remove the filter Created from' }).waitFor();
  expect(complaints).toEqual([]);
});

test('the record has its filters in the address, and files of what they find', async () => {
  await open('record?person=mara%40example.com');
  await page.getByLabel('Kind of event').selectOption('roles_changed');
  await expect.poll(queryOf).toBe('?person=mara%40example.com&kind=roles_changed');
  await expect.poll(() => page.locator('tbody tr').count()).toBeLessThan(10);
  const file = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
  expect(file).toBe('/auth/api/admin/record.csv?person=mara%40example.com&kind=roles_changed');
});

test('the record is searched by the name of a person, and by an administrator', async () => {
  const fake = installation();
  await open('record', fake);
  const [first] = fake.people;
  const field = page.getByLabel('Name, address or id of a person');
  await field.fill(String(first?.name).slice(0, 4));
  await expect
    .poll(() =>
      page.locator('#suggested option').evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
    )
    .toContain(first?.address);
  await field.fill('');
  await page.getByRole('link', { name: 'Only what Mara Lindqvist did' }).first().click();
  await expect.poll(queryOf).toMatch(/^\?actor=admin%3A/);
  await page.getByRole('link', { name: 'Remove the filter Changed by: Mara Lindqvist' }).waitFor();
  await page.getByText('Filters (1)').click();
  await page.getByLabel('Changed by', { exact: true }).fill('Help');
  await expect
    .poll(() => page.locator('#suggested-actor option[value^="key:"]').allInnerTexts())
    .toContain('Help desk');
});

test('a record that is asked for a name alone says that names are chosen', async () => {
  await open('record?person=Jonas', installation(), 1280, async (route, path) => {
    if (!path.includes('/record')) return false;
    await route.fulfill({ json: { facts: [], next: '' } });
    return true;
  });
  await page.getByText('Choose the person from the list').waitFor();
  await page.getByLabel('Name, address or id').fill('01JD3K8V5Q01JD3K8V5Q01JD3K');
  await page.getByText('No event matches.').waitFor();
});
