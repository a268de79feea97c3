import type { Page } from '@playwright/test';
import { expectKeyboard, press, tabTo } from '../support/keyboard.js';
import { withPasskey } from '../support/passkey.js';
import { alive, button, expectScreen, field, link, open, signIn } from '../support/screen.js';
import { expect, test } from '../support/test.js';

/** The sections of the account: path, name in the list of sections, and title. */
const SECTIONS = [
  ['profile', 'Profile', 'Profile'],
  ['addresses', 'Email addresses', 'Email addresses'],
  ['password', 'Password', 'Change your password'],
  ['passkeys', 'Passkeys', 'Passkeys'],
  ['factors', 'Two-step verification', 'Two-step verification'],
  ['providers', 'Connected accounts', 'Connected accounts'],
  ['sessions', 'Devices', 'Devices'],
  ['browsers', 'Trusted browsers', 'Trusted browsers'],
  ['history', 'Security history', 'Security history'],
  ['apps', 'Connected apps', 'Connected apps'],
  ['data', 'Download your data', 'Download your data'],
  ['delete', 'Delete your account', 'Delete your account'],
] as const;

// The pages of the account with the keyboard alone: no mouse, and no focus set by the test.

/** A page that has just come, with all its scripts. */
async function arrive(page: Page, title: string): Promise<void> {
  await expectScreen(page, title);
  await alive(page);
}

test('a keyboard leads to every section of the account and back', async ({ page, world }) => {
  await signIn(page, await world.member());
  await expectKeyboard(page);
  const sections = page.getByRole('navigation', { name: 'Overview' }).getByRole('link');
  expect(await sections.allInnerTexts(), 'SECTIONS').toEqual(SECTIONS.map(([, name]) => name));
  for (const [path, name, title] of SECTIONS) {
    await press(page, link(page, name));
    await arrive(page, title);
    await expect(page).toHaveURL(`/auth/account/${path}`);
    await expectKeyboard(page);
    await press(page, link(page, 'Your account'));
    await arrive(page, 'Your account');
  }
  await press(page, button(page, 'Sign out'), 'Space');
  await expectScreen(page, "You've signed out");
});

test('a passkey is renamed and removed with the keyboard', async ({ page, world }) => {
  await withPasskey(page, await world.member());
  const more = page.locator('summary', { hasText: 'Rename or remove' });
  await press(page, more);
  await tabTo(page, field(page, 'Name of the passkey'));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type("Mara's laptop");
  await press(page, button(page, 'Save name'), 'Space');
  await expect(page.getByText('The new name is saved.')).toBeVisible();
  await expect(page.getByText("Mara's laptop")).toBeVisible();
  await alive(page);
  await press(page, more, 'Space');
  await press(page, button(page, 'Remove this passkey'));
  await expect(more).toHaveCount(0);
});

test('the language is chosen with arrows and saved with Enter', async ({ page, world }) => {
  await signIn(page, await world.member());
  await open(page, '/auth/account/profile');
  const languages = field(page, 'Language of emails');
  const before = await languages.inputValue();
  await tabTo(page, languages);
  await page.keyboard.press(before === 'fr' ? 'ArrowUp' : 'ArrowDown');
  const chosen = await languages.inputValue();
  expect(chosen).not.toBe(before);
  await press(page, button(page, 'Save'));
  await expect(page.getByText('Saved.')).toBeVisible();
  await expect(languages).toHaveValue(chosen);
});

test('after a change of a list the focus is on what has changed, and after a removal on its neighbor', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  for (const _ of ['a phone', 'a tablet']) await signIn(await openBrowser(), person);
  await withPasskey(page, person);
  await expect(page.locator('.entry.changed')).toBeFocused();
  await expect(page.locator('.entry.changed')).toHaveAccessibleDescription(/^Passkey added/);
  await open(page, '/auth/account/sessions');
  await arrive(page, 'Devices');
  const entries = page.locator('.entry');
  const count = await entries.count();
  await press(page, page.getByRole('button', { name: /^Sign out (?!all)/ }).first());
  await expect(page.getByText('That device is signed out.')).toBeVisible();
  await expect(entries).toHaveCount(count - 1);
  await expect(entries.nth(1)).toBeFocused();
  await expect(entries.nth(1)).toHaveCSS('outline-style', 'solid');
  await expect(page.locator('.changed')).toHaveCount(0);
  await page
    .getByRole('button', { name: /^Sign out (?!all)/ })
    .first()
    .click(); // with a mouse, which needs no ring
  await expect(entries).toHaveCount(count - 2);
  await expect(entries.nth(1)).toBeFocused();
  await expect(entries.nth(1)).toHaveCSS('outline-style', 'none');
});

test('a new name is undone with the keyboard, on the page after it only', async ({ page, world }) => {
  await signIn(page, await world.member());
  await open(page, '/auth/account/profile');
  await arrive(page, 'Profile');
  const name = field(page, 'Name');
  const before = await name.inputValue();
  await name.fill('Somebody Else');
  await name.press('Enter');
  await expect(page.getByText('Saved.')).toBeVisible();
  await alive(page);
  await tabTo(page, button(page, 'Undo'));
  await page.keyboard.press('Enter');
  await expect(page.getByText('Undone.')).toBeVisible();
  await expect(name).toHaveValue(before);
  await expect(button(page, 'Undo')).toHaveCount(0);
});
