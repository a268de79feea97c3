import {
  alive,
  back,
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
import { beginSetup, enrol } from '../support/totp.js';

// Something changes in one browser between two steps in another one.

test('a second step that the owner has overtaken says so, and leads to a new sign-in', async ({
  page,
  openBrowser,
  world,
}) => {
  const person = await world.member();
  await signIn(page, person);
  const { app } = await enrol(page);
  const phone = await openBrowser({ viewport: { width: 360, height: 740 } });
  await open(phone, '/auth/signin?return_to=/auth/account/profile');
  await fillSignIn(phone, person);
  await button(phone, 'Login').click();
  await expectScreen(phone, "Confirm it's you");
  await alive(phone);

  await open(page, '/auth/account/factors');
  await button(page, 'Get new recovery codes').click();
  await lastButton(page, 'Get new recovery codes').click();
  await expectScreen(page, 'Save your recovery codes');

  const code = app.next();
  await field(phone, '6-digit code').fill(code);
  await expectScreen(phone, 'Your account has changed');
  await expect(
    phone.getByText('How you sign in to this account has changed since you started.'),
  ).toBeVisible();
  await open(phone, '/auth/signin'); // no page leads to the ended step anymore
  await expectScreen(phone, 'Sign in');
  await back(phone);
  await expectScreen(phone, 'Your account has changed');
  await link(phone, 'Start again').click();
  await expectScreen(phone, 'Sign in');
  await alive(phone);
  await expect(field(phone, 'Email')).toHaveValue(person.email);
  await fillSignIn(phone, person);
  await button(phone, 'Login').click();
  await expectScreen(phone, "Confirm it's you");
  await alive(phone);
  await field(phone, '6-digit code').fill(code); // which was not used up
  await expectScreen(phone, 'Profile');
});

test('an app whose setup was overtaken in another tab is not added', async ({ page, context, world }) => {
  const person = await world.member();
  await signIn(page, person);
  const late = await beginSetup(page);
  const tab = await context.newPage();
  await enrol(tab);
  await field(page, '6-digit code').fill(late.next());
  await expectScreen(page, 'Two-step verification');
  await expect(
    page.getByText('How you sign in to this account has changed since you started.'),
  ).toBeVisible();
  await link(page, 'Your account').click();
  await expectAccount(page, person);
});
