import type { Page } from '@playwright/test';
import type { Portico } from '../support/portico.js';
import { alive, button, expectScreen } from '../support/screen.js';
import { expect, test } from '../support/test.js';
import type { World } from '../support/world.js';

// Quotes, markup and template actions are text. The sender stands at the beginning and twice.
const ENGLISH = {
  'signup.title': 'Join "the" <b>garden</b> & dig in',
  'signup.submit': "Let's dig {{.boot}}",
  'common.email_placeholder': 'ada@"allotment".example',
  'common.show_password': 'Show <me>',
  'common.choose_language': 'Tongue: {language} {',
  'error.address.required': 'No </script> address yet',
  'verify-code.title': 'A code grew',
  'verify-code.lead_to': '{address} & {address} got one',
  'verify-code.sender': '{sender} wrote it. Yes, {sender}',
  'mail.verify-address.subject': '{code} opens "{brand}" <gate>',
  'mail.verify-address.intro': 'Water <b>it</b> within {wait} & {{.x}}',
};
const PLURAL = { one: 'Wilted. {count} seed left & <b>', other: 'Wilted. {count} seeds left & <b>' };
const ARABIC = { 'verify-code.title': 'رمز «جديد»', 'verify-code.lead_to': 'إلى {address} <b>' };

let started: Promise<Portico> | undefined;

function garden(world: World): Promise<Portico> {
  const texts = { en: { ...ENGLISH, 'error.code.wrong': PLURAL }, ar: ARABIC };
  started ??= world.anotherPortico({ texts });
  return started;
}

/** Signs up as far as the page of the code. */
async function signUp(page: Page, world: World): Promise<string> {
  const person = world.stranger();
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByLabel('Confirm Password').fill(person.password);
  await button(page, ENGLISH['signup.submit']).click();
  await expectScreen(page, ENGLISH['verify-code.title']);
  return person.email;
}

test('texts of the operator are on a page, in its errors and in an email', async ({ page, world }) => {
  const { origin } = await garden(world);
  await page.goto(`${origin}/auth/signup`);
  await expectScreen(page, ENGLISH['signup.title']);
  await alive(page);
  await expect(page).toHaveTitle(ENGLISH['signup.title']);
  await expect(page.getByPlaceholder(ENGLISH['common.email_placeholder'])).toBeVisible();
  await expect(page.locator('footer summary')).toHaveAttribute('aria-label', 'Tongue: English {');
  await button(page, ENGLISH['signup.submit']).click();
  await expect(page.getByText(ENGLISH['error.address.required'])).toBeVisible(); // by script
  await expect(page.getByLabel(ENGLISH['common.show_password']).first()).toBeVisible();

  const email = await signUp(page, world);
  await alive(page);
  await expect(page.getByText(`${email} & ${email} got one`)).toBeVisible();
  await page.getByText('More help').click();
  await expect(page.getByText('no-reply@example.org wrote it. Yes, no-reply@example.org')).toBeVisible();

  const mail = await world.mailbox.next(email);
  expect(mail.subject).toBe(`${mail.code} opens "Portico" <gate>`);
  expect(mail.text).toContain('Water <b>it</b> within 10 minutes & {{.x}}');

  await page.getByRole('textbox').fill(mail.code === '000000' ? '000001' : '000000');
  await expect(page.getByText('Wilted. 4 seeds left & <b>')).toBeVisible();
  await page.getByRole('textbox').fill(mail.code);
  await expectScreen(page, 'Your account'); // a text that was not replaced
});

test('from right to left, a value keeps its own direction in a text of the operator', async ({
  page,
  world,
}) => {
  const { origin } = await garden(world);
  await page.goto(`${origin}/auth/signup`);
  const email = await signUp(page, world);
  await page.locator('footer summary').click();
  await button(page, 'العربية').click();
  await expectScreen(page, ARABIC['verify-code.title']);
  await alive(page);
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  await expect(page.getByText(`إلى \u2068${email}\u2069 <b>`)).toBeVisible();
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });
  test('texts of the operator are on the pages too', async ({ page, world }) => {
    const { origin } = await garden(world);
    await page.goto(`${origin}/auth/signup`);
    await expectScreen(page, ENGLISH['signup.title']);
    const email = await signUp(page, world);
    await expect(page.getByText(`${email} & ${email} got one`)).toBeVisible();
    const { code } = await world.mailbox.next(email);
    await page.getByRole('textbox').fill(code === '000000' ? '000001' : '000000');
    await button(page, 'Verify').click();
    await expect(page.getByText('Wilted. 4 seeds left & <b>')).toBeVisible();
    await page.goto(`${origin}/auth/forgot-password`);
  });
});
