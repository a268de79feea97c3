import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { answerWith } from '../support/answer.js';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  fillSignIn,
  lastButton,
  link,
  open,
  signIn,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';

const NEW = 'a fresh amber orchard';

async function choosePassword(page: Page): Promise<void> {
  await field(page, 'New password').fill(NEW);
  await field(page, 'Confirm Password').fill(NEW);
  await button(page, 'Save password').click();
}

const saved = (page: Page) => expect(page.getByText('Password changed.')).toBeVisible();

test('the password is changed on its own page, which ends the other sessions', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  const phone = await openBrowser();
  await signIn(phone, person);
  await signIn(page, person);
  await link(page, 'Password').click();
  await expectScreen(page, 'Change your password');
  await alive(page);
  await choosePassword(page);
  await saved(page);
  await world.mailbox.next(person.email, /^Your Portico password was changed$/);
  await link(page, 'Your account').click();
  await expectAccount(page, person);
  await phone.reload();
  await expectScreen(phone, 'Sign in');
  await signIn(phone, { ...person, password: NEW });
});

test('a change with an old proof asks for a new one in place, and keeps what was typed', async ({
  page,
  context,
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  await open(page, '/auth/account/password');
  await answerWith(page, 'account/password', { status: 401, code: 'proof.needed' });
  await choosePassword(page);
  await expect(link(page, 'Sign in again')).toBeVisible();
  await page.unroute('**/auth/api/account/password');
  const opened = context.waitForEvent('page');
  await link(page, 'Sign in again').click();
  const again = await opened;
  await expectScreen(again, 'Sign in');
  await expect(field(again, 'Email')).toHaveValue(person.email);
  await field(again, 'Password').fill(person.password);
  const closed = again.waitForEvent('close');
  await button(again, 'Login').click();
  await closed;
  await saved(page); // without another press
});

test('with the keyboard alone', async ({ page, world }) => {
  await signIn(page, await world.member());
  await link(page, 'Password').press('Enter');
  await expectScreen(page, 'Change your password');
  await alive(page);
  for (const _ of ['the logo', 'past the sections']) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(field(page, 'New password')).toBeFocused();
  await page.keyboard.type(NEW);
  await page.keyboard.press('Tab'); // the button to show it
  await page.keyboard.press('Tab');
  await page.keyboard.type(NEW);
  await page.keyboard.press('Enter');
  await saved(page);
});

test('the name and the language are changed, and the history tells what happened', async ({
  page,
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  await link(page, 'Profile').click();
  await alive(page);
  await field(page, 'Name').fill('Mara Lind');
  await field(page, 'Language of emails').selectOption({ label: 'Deutsch' });
  await button(page, 'Save').click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await expect(field(page, 'Name')).toHaveValue('Mara Lind');
  await expect(field(page, 'Language of emails')).toHaveValue('de');
  await world.mailbox.next(person.email);
  await link(page, 'Your account').click();
  await link(page, 'Security history').click();
  await expectScreen(page, 'Security history');
  await expect(page.getByRole('listitem').filter({ hasText: 'The name was changed' })).toHaveCount(1);
});

test('password managers find the page, also without a session', async ({ page, world }) => {
  const person = await world.member();
  await open(page, '/.well-known/change-password');
  await expectScreen(page, 'Sign in');
  await field(page, 'Email').fill(person.email);
  await field(page, 'Password').fill(person.password);
  await button(page, 'Login').click();
  await expectScreen(page, 'Change your password');
});

/** Downloads the data of the account from its page. */
async function downloadData(page: Page): Promise<{ name: string; tables: Record<string, unknown[]> }> {
  const started = page.waitForEvent('download');
  await button(page, 'Download JSON').click();
  const download = await started;
  const { tables } = JSON.parse(await readFile(await download.path(), 'utf8'));
  return { name: download.suggestedFilename(), tables };
}

test('the data of the account is downloaded as a file, twice', async ({ page, world }) => {
  const person = await world.member();
  await signIn(page, person);
  await link(page, 'Download your data').click();
  await expectScreen(page, 'Download your data');
  await alive(page);
  await page.clock.install();
  const { name, tables } = await downloadData(page);
  expect(name).toMatch(/^account-data-\d{4}-\d\d-\d\d\.json$/);
  expect(tables['account']).toEqual([expect.objectContaining({ address: person.email })]);
  await world.mailbox.next(person.email, /^The data of your Portico account was downloaded$/);
  await page.clock.fastForward(6000); // a second press at once is for the same file
  expect((await downloadData(page)).tables['audit']?.length).toBeGreaterThan(1);
});

test('a deleted account is closed at once, and a press keeps it', async ({ page, openBrowser, world }) => {
  const person = await world.member();
  const phone = await openBrowser();
  await signIn(phone, person);
  await signIn(page, person);
  await link(page, 'Delete your account').click();
  await expectScreen(page, 'Delete your account');
  await alive(page);
  await button(page, 'Delete my account').click();
  await lastButton(page, 'Delete my account').click();
  await expectScreen(page, "You've signed out");
  await expect(page.getByText('To keep it, sign in before then.')).toBeVisible();
  await world.mailbox.next(person.email, /^Your Portico account will be erased on /);
  await phone.reload();
  await expectScreen(phone, 'Sign in');
  await field(phone, 'Email').fill(person.email);
  await field(phone, 'Password').fill(person.password);
  await button(phone, 'Login').click();
  await expectScreen(phone, 'Keep your account?');
  await open(phone, '/auth/account');
  await expectScreen(phone, 'Keep your account?'); // no page of the account before the press
  await alive(phone);
  await button(phone, 'Keep my account').click();
  await expectAccount(phone, person);
  await world.mailbox.next(person.email, /^Your Portico account won't be deleted$/);
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('the account is deleted, left deleted, and kept', async ({ page, world }) => {
    const person = await world.member();
    const enter = async () => {
      await field(page, 'Email').fill(person.email);
      await field(page, 'Password').fill(person.password);
      await button(page, 'Login').click();
    };
    await page.goto('/auth/account/delete');
    await enter();
    await button(page, 'Delete my account').click();
    await lastButton(page, 'Delete my account').click();
    await expect(page.getByText('To keep it, sign in before then.')).toBeVisible();
    await link(page, 'Sign in again').click();
    await enter();
    await button(page, 'Delete it anyway').click();
    await expectScreen(page, 'Sign in');
    await enter();
    await button(page, 'Keep my account').click();
    await expectScreen(page, 'Your account');
  });

  test('the data of the account is downloaded', async ({ page, world }) => {
    await page.goto('/auth/account/data');
    const person = await world.member();
    await field(page, 'Email').fill(person.email);
    await field(page, 'Password').fill(person.password);
    await button(page, 'Login').click();
    await expectScreen(page, 'Download your data');
    expect((await downloadData(page)).tables['session']).toHaveLength(2); // the sign-up has made one
  });

  test('the password is changed', async ({ page, world }) => {
    const person = await world.member();
    await page.goto('/auth/account/password');
    await field(page, 'Email').fill(person.email);
    await field(page, 'Password').fill(person.password);
    await button(page, 'Login').click();
    await expectScreen(page, 'Change your password');
    await field(page, 'New password').fill(person.password);
    await field(page, 'Confirm Password').fill(person.password);
    await button(page, 'Save password').click();
    await expect(page.getByText('This is your current password.')).toBeVisible();
    await choosePassword(page);
    await saved(page);
  });
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('a sign-out at an app leads back to it, also by way of a new sign-in', async ({ page, world }) => {
      const person = await world.member();
      const target = `${world.portico.origin}/reports?of=today`;
      const signOut = async () => {
        await page.goto('/auth/signin');
        if (javaScriptEnabled) await alive(page);
        await fillSignIn(page, person);
        await button(page, 'Login').click();
        await expectAccount(page, person);
        const query = new URLSearchParams({ return_to: '/reports?of=today' });
        await page.evaluate((action) => {
          const form = document.createElement('form');
          form.method = 'post';
          form.action = action;
          document.body.append(form);
          form.submit();
        }, `/auth/signout?${query}`);
        await expectScreen(page, "You've signed out");
      };
      await signOut();
      await expect(link(page, 'Go back to the app')).toHaveAttribute('href', '/reports?of=today');
      await link(page, 'Sign in again').click();
      await expectScreen(page, 'Sign in');
      if (javaScriptEnabled) await alive(page);
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expect(page).toHaveURL(target);
    });
  });
}

/** A picture of one color, larger than the server takes, which a page draws smaller. */
const photo = (page: Page, side: number) =>
  page.evaluate(async (side) => {
    const canvas = document.createElement('canvas');
    canvas.width = side;
    canvas.height = side;
    const context = canvas.getContext('2d');
    if (context) {
      context.fillStyle = 'rgb(200, 60, 40)';
      context.fillRect(0, 0, side, side);
    }
    return canvas.toDataURL('image/png').replace(/^.*,/, '');
  }, side);

for (const [javaScriptEnabled, side] of [
  [true, 5000],
  [false, 600],
] as const) {
  test.describe(javaScriptEnabled ? 'a picture with scripts' : 'a picture without scripts', () => {
    test.use({ javaScriptEnabled });

    test('is shown in place of the letters, and removed', async ({ page, world, openBrowser }) => {
      const person = await world.member();
      const drawn = Buffer.from(await photo(await openBrowser({ javaScriptEnabled: true }), side), 'base64');
      await page.goto('/auth/signin?return_to=/auth/account/profile');
      if (javaScriptEnabled) await alive(page);
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, 'Profile');
      if (javaScriptEnabled) await alive(page);
      const choose = field(page, 'Choose a picture');
      // A WebP is drawn again by the script: the server takes none.
      await expect(choose).toHaveAttribute('accept', javaScriptEnabled ? /,image\/webp$/ : /^(?!.*webp)/);
      await choose.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
      if (!javaScriptEnabled) await button(page, 'Save picture').click();
      await expect(page.getByText("This file can't be used as a picture.")).toBeVisible();
      if (javaScriptEnabled) await alive(page);
      await choose.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: drawn });
      if (!javaScriptEnabled) await button(page, 'Save picture').click();
      await expect(page.getByText('Your picture is saved.')).toBeVisible();
      const image = page.locator('main img'); // a large one was drawn again, or the server would refuse it
      await expect(image).toHaveJSProperty('naturalWidth', 256);
      const served = await page.request.get((await image.getAttribute('src')) ?? '');
      expect(served.headers()['content-type']).toBe('image/jpeg');
      await link(page, 'Your account').click();
      await expect(page.locator('main img')).toHaveJSProperty('naturalWidth', 256);
      await link(page, 'Profile').click();
      if (javaScriptEnabled) await alive(page);
      await button(page, 'Remove picture').click();
      await expect(page.getByText('Your picture is removed.')).toBeVisible();
      await expect(page.locator('main img')).toHaveCount(0);
      expect((await page.request.get(served.url())).status()).toBe(404);
      await expect(button(page, 'Undo')).toHaveCount(javaScriptEnabled ? 1 : 0);
      if (!javaScriptEnabled) return;

      await button(page, 'Undo').click();
      await expect(page.getByText('Your picture is saved.')).toBeVisible();
      await expect(image).toHaveJSProperty('naturalWidth', 256);
      await alive(page);
      await expect(button(page, 'Undo')).toHaveCount(0); // it undoes the last change, not itself
      await choose.setInputFiles({ name: 'other.png', mimeType: 'image/png', buffer: drawn });
      await expect(button(page, 'Undo')).toBeVisible();
      await page.reload();
      await alive(page);
      await expect(button(page, 'Undo')).toHaveCount(0);
    });
  });
}
