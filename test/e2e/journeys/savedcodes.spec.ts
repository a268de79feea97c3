import { readFile } from 'node:fs/promises';
import { button, signIn } from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { enrol } from '../support/totp.js';

test('recovery codes are downloaded as a file and printed without what is around them', async ({
  page,
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  const { codes } = await enrol(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.url()} ${request.postData() ?? ''}`));
  const started = page.waitForEvent('download');
  await button(page, 'Download').click();
  const download = await started;
  expect(download.suggestedFilename()).toBe('recovery codes Portico.txt');
  expect(await readFile(await download.path(), 'utf8')).toBe(
    `Portico\n${person.email}\n\n${codes.join('\n')}\n`,
  );

  await page.evaluate(() =>
    Object.assign(window, { print: () => document.body.setAttribute('data-printed', '') }),
  );
  await button(page, 'Print').click();
  await expect(page.locator('body[data-printed]')).toBeAttached();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  for (const code of codes) await expect(page.getByText(code, { exact: true })).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.locator('footer')).toBeHidden();
  await expect(page.locator('header')).toBeHidden(); // its letters are transparent on paper
  await expect(page.getByText(`Recovery codes for ${person.email} at Portico, made `)).toHaveText(/\d{4}$/);
  const lines = await page
    .locator('code')
    .evaluateAll((all) => all.map((code) => code.getClientRects().length));
  expect(lines).toEqual(codes.map(() => 1));
  for (const code of codes) {
    expect(page.url()).not.toContain(code);
    expect(requests.filter((request) => request.includes(code))).toEqual([]);
  }
});
