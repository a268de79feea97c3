import type { Page } from '@playwright/test';
import {
  alive,
  button,
  expectAccount,
  expectScreen,
  field,
  lastButton,
  link,
  open,
  signIn,
} from '../support/screen.js';
import { expect, test } from '../support/test.js';
import type { Person, World } from '../support/world.js';

const NEW = 'a fresh amber orchard';

async function ask(page: Page, email: string): Promise<void> {
  await expectScreen(page, 'Email addresses');
  await field(page, 'New email address').fill(email);
  await page.getByLabel('Signing in, instead of').check();
  await button(page, 'Send code').click();
  await expectScreen(page, 'Verify your code');
}

const saved = (page: Page) => expect(page.getByText('Your new email address is saved.')).toBeVisible();

/** Changes the address with the code in the email, and returns the person with the new one. */
async function move(page: Page, world: World, person: Person): Promise<Person> {
  const { email } = world.stranger();
  await open(page, '/auth/account/addresses');
  await ask(page, email);
  await alive(page);
  await page.keyboard.type((await world.mailbox.next(email)).code);
  await expectScreen(page, 'Email addresses');
  return { ...person, email };
}

test('the address is changed once the new one is proven, which ends the other sessions', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  const phone = await openBrowser();
  await signIn(phone, person);
  await signIn(page, person);
  await link(page, 'Email addresses').click();
  await alive(page);
  await field(page, 'New email address').fill(person.email);
  await button(page, 'Send code').click();
  await expect(page.getByText('This is already your email address.')).toBeVisible();
  const { email } = world.stranger();
  await ask(page, email);
  await alive(page);
  await page.keyboard.type((await world.mailbox.next(email)).code);
  await saved(page);
  await expect(page.getByRole('main').getByText(email, { exact: true })).toBeVisible();
  await world.mailbox.next(email, /has a new email address/);
  await phone.reload();
  await expectScreen(phone, 'Sign in');
  await expect(phone.getByText('because your sign-in details were changed.')).toBeVisible();
  await signIn(phone, { ...person, email });
});

test('the emailed link confirms the address in this browser, and says in another why not', async ({
  page,
  openBrowser,
  world,
}) => {
  await signIn(page, await world.member());
  const { email } = world.stranger();
  await open(page, '/auth/account/addresses');
  await ask(page, email);
  const mail = await world.mailbox.next(email);
  const other = await openBrowser();
  await open(other, mail.link);
  await expectScreen(other, 'Open this link where you started');
  await open(page, mail.link);
  await expectScreen(page, 'Confirm your new email address');
  await button(page, 'Confirm address').click();
  await saved(page);
});

test('the owner takes the account back from a thief who changed the address', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  const thief = await openBrowser();
  await signIn(thief, person);
  const stolen = await move(thief, world, person);
  const mail = await world.mailbox.next(person.email, /email address .* was changed/);
  await open(page, mail.link);
  await expectScreen(page, 'Secure your account');
  expect(page.url()).not.toContain('token');
  await button(page, "This wasn't me").click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await page.keyboard.type((await world.mailbox.next(person.email, /code|password/i)).code);
  await expectScreen(page, 'Choose a new password');
  await alive(page);
  await field(page, 'New password').fill(NEW);
  await field(page, 'Confirm Password').fill(NEW);
  await button(page, 'Save password').click();
  await expectAccount(page, person);
  await thief.reload();
  await expectScreen(thief, 'Sign in');
  await field(thief, 'Email').fill(stolen.email);
  await field(thief, 'Password').fill(stolen.password);
  await button(thief, 'Login').click();
  await expect(thief.getByText('Wrong email or password.')).toBeVisible();
  await open(page, mail.link);
  await expectScreen(page, "You've already secured your account");
  await open(page, '/auth/account/addresses');
  await expect(page.getByText('You reported that someone else was in your account.')).toBeVisible();
  await expect(field(page, 'New email address')).toHaveCount(0);
  await open(page, '/auth/account/history');
  await expect(page.getByText('You secured your account')).toBeVisible();
});

test('a link that is cut off says what to do', async ({ page }) => {
  await open(page, '/auth/not-me?token=half');
  await expectScreen(page, 'This link no longer works');
  await link(page, 'Choose a new password').click();
  await expectScreen(page, 'Reset your password');
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('the address is changed and taken back', async ({ page, world }) => {
    const person = await world.member();
    await page.goto('/auth/account/addresses');
    await field(page, 'Email').fill(person.email);
    await field(page, 'Password').fill(person.password);
    await button(page, 'Login').click();
    await field(page, 'New email address').fill(person.email);
    await button(page, 'Send code').click();
    await expect(page.getByText('This is already your email address.')).toBeVisible();
    const { email } = world.stranger();
    await ask(page, email);
    await field(page, '6-digit code').fill((await world.mailbox.next(email)).code);
    await button(page, 'Verify').click();
    await saved(page);
    await page.goto((await world.mailbox.next(person.email, /email address .* was changed/)).link);
    await button(page, "This wasn't me").click();
    await expectScreen(page, 'Verify your code');
    await world.mailbox.next(person.email, /code|password/i);
  });
});

/** Adds an address for recovery and notices. */
async function addRecovery(page: Page, world: World): Promise<string> {
  const { email } = world.stranger();
  await open(page, '/auth/account/addresses');
  await field(page, 'New email address').fill(email);
  await button(page, 'Send code').click();
  await expectScreen(page, 'Verify your code');
  await alive(page);
  await page.keyboard.type((await world.mailbox.next(email)).code);
  await saved(page);
  await expect(page.getByText('For recovery and notices')).toBeVisible();
  return email;
}

test('an address for recovery resets the password, and may become the one that signs in', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  const safe = await addRecovery(page, world);
  await world.mailbox.next(person.email, /has a new recovery address/);
  await world.mailbox.next(safe, /has a new recovery address/);
  const phone = await openBrowser();
  await open(phone, '/auth/forgot-password');
  await field(phone, 'Email').fill(safe);
  await phone.keyboard.press('Enter');
  await expectScreen(phone, 'Verify your code');
  await alive(phone);
  await phone.keyboard.type((await world.mailbox.next(safe, /password|code/i)).code);
  await expectScreen(phone, 'Choose a new password');
  await alive(phone);
  await field(phone, 'New password').fill(NEW);
  await field(phone, 'Confirm Password').fill(NEW);
  await button(phone, 'Save password').click();
  await expectAccount(phone, person);
  await open(phone, '/auth/account/addresses');
  await button(phone, `Use to sign in: ${safe}`).focus();
  await phone.keyboard.press('Enter');
  await lastButton(phone, 'Use to sign in').click();
  await saved(phone);
  await expect(phone.getByRole('main').getByRole('listitem').first()).toContainText(safe);
  await button(phone, `Remove ${person.email}`).focus();
  await phone.keyboard.press('Enter');
  await lastButton(phone, 'Remove').click();
  await expect(phone.getByText('The address is removed.')).toBeVisible();
  await expect(phone.getByText(/No longer in use, reserved for you until/)).toBeVisible();
});

test.describe('addresses without script', () => {
  test.use({ javaScriptEnabled: false });

  test('an address for recovery is added, marked, made the primary one and removed', async ({
    page,
    world,
  }) => {
    const person = await world.member();
    await page.goto('/auth/account/addresses');
    await field(page, 'Email').fill(person.email);
    await field(page, 'Password').fill(person.password);
    await button(page, 'Login').click();
    const all: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { email } = world.stranger();
      all.push(email);
      await field(page, 'New email address').fill(email);
      await button(page, 'Send code').click();
      await field(page, '6-digit code').fill((await world.mailbox.next(email)).code);
      await button(page, 'Verify').click();
      await saved(page);
    }
    const [first] = all;
    await button(page, `Use for recovery: ${first}`).click();
    await saved(page);
    await button(page, `Use to sign in: ${first}`).click();
    await lastButton(page, 'Use to sign in').click();
    await saved(page);
    await expect(page.getByRole('main').getByRole('listitem').first()).toContainText(`${first}`);
    await button(page, `Remove ${all[1]}`).click();
    await lastButton(page, 'Remove').click();
    await expect(page.getByText('The address is removed.')).toBeVisible();
  });
});
