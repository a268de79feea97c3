import { button, expectScreen, field, lastButton, link, open, signIn } from '../support/screen.js';
import { expect, test } from '../support/test.js';

test('other devices are signed out from the page of the devices, with the keyboard', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  const phone = await openBrowser();
  await signIn(phone, person);
  await signIn(page, person);
  await link(page, 'Devices').focus();
  await page.keyboard.press('Enter');
  await expectScreen(page, 'Devices');
  await expect(page.getByText('This device')).toHaveCount(1);
  await page
    .getByRole('button', { name: /^Sign out [^a]/ })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('That device is signed out.')).toBeVisible();
  await button(page, 'Sign out all other devices').focus();
  await page.keyboard.press('Enter');
  await lastButton(page, 'Sign out').click();
  await expect(page.getByText('All other devices are signed out.')).toBeVisible();
  await expect(button(page, 'Sign out all other devices')).toHaveCount(0);
  await open(phone, '/auth/account/sessions');
  await expectScreen(phone, 'Sign in');
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('all other devices are signed out', async ({ page, openBrowser, world }) => {
    const person = await world.member();
    const phone = await openBrowser();
    await page.goto('/auth/account/sessions');
    await field(page, 'Email').fill(person.email);
    await field(page, 'Password').fill(person.password);
    await button(page, 'Login').click();
    await expectScreen(page, 'Devices');
    await phone.goto('/auth/account');
    await field(phone, 'Email').fill(person.email);
    await field(phone, 'Password').fill(person.password);
    await button(phone, 'Login').click();
    await page.reload();
    await button(page, 'Sign out all other devices').click();
    await lastButton(page, 'Sign out').click();
    await expect(page.getByText('All other devices are signed out.')).toBeVisible();
    await phone.goto('/auth/account/sessions');
    await expectScreen(phone, 'Sign in');
  });
});
