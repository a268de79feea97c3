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
