import { PageApp } from '../support/page-app.js';
import { button, expectScreen, fillSignIn } from '../support/screen.js';
import { expect, test } from '../support/test.js';

test('a user signs in to an app without a server part, which renews its tokens and signs out', async ({
  page,
  world,
}) => {
  const tasks = await PageApp.start();
  const portico = await world.anotherPortico({ settings: tasks.settings });
  tasks.serve(portico.origin);
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  const heading = page.getByRole('heading');

  await page.goto(tasks.origin);
  await expect(heading).toHaveText('Nobody');
  await button(page, 'Sign in').click();
  await expectScreen(page, 'Sign in');
  await fillSignIn(page, person);
  await button(page, 'Login').click();
  await expect(heading).toHaveText(`Tasks of ${person.email}`);

  for (let times = 0; times < 2; times++) {
    await page.goto(tasks.origin);
    await expect(heading).toHaveText(`Tasks of ${person.email}`);
    await button(page, 'Renew').click();
    await expect(heading).toHaveText(`Renewed for ${person.email}`);
  }

  await button(page, 'Sign out').click();
  await expectScreen(page, 'Sign out?');
  await button(page, 'Sign out').click();
  await expect(heading).toHaveText('Nobody');
  await button(page, 'Sign in').click();
  await expectScreen(page, 'Sign in');
  await tasks.stop();
});

test('a user signs in to such an app in a pop-up', async ({ page, world }) => {
  const tasks = await PageApp.start();
  const portico = await world.anotherPortico({ settings: tasks.settings });
  tasks.serve(portico.origin);
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  await page.goto(tasks.origin);
  const opened = page.waitForEvent('popup');
  await button(page, 'Sign in beside').click();
  const popup = await opened;
  await expectScreen(popup, 'Sign in');
  // Portico's pages cut the two windows apart: the app cannot see the pop-up, and must not wait for its end
  expect(await page.evaluate('seesPopup()')).toBe(false);
  await fillSignIn(popup, person);
  await button(popup, 'Login').click();
  await expect(page.getByRole('heading')).toHaveText(`Tasks of ${person.email}`);
  await expect.poll(() => popup.isClosed()).toBe(true);
  await tasks.stop();
});
