import { Authenticator } from '../support/passkey.js';
import { alive, button, expectAccount, expectScreen, field, link } from '../support/screen.js';
import { expect, test } from '../support/test.js';

/** The link that the operator prints for a person. */
const linkFor = (portico: { command(args: string[]): string }, email: string) =>
  portico.command(['user', 'link', email]).trim();

test('a link of the operator leads to a passkey in place of the password', async ({
  page,
  openBrowser,
  world,
}) => {
  const portico = await world.requiring('0s'); // a passkey is a second factor
  const person = world.stranger();
  portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
  const device = await Authenticator.plugInto(page);
  const link = linkFor(portico, person.email);
  await page.goto(link);
  await expectScreen(page, 'Set up how you sign in');
  await expect(page.getByText('Continue to choose a new way to sign in.')).toBeVisible();
  await alive(page);
  await button(page, 'Continue').click();
  await expectScreen(page, 'Create your passkey');
  await expect(page.getByText('Your former password stops working then.')).toBeVisible();
  await alive(page);
  await button(page, 'Create a passkey').click();
  await expectAccount(page, person);
  expect(await device.held()).toHaveLength(1);

  const elsewhere = await openBrowser();
  await elsewhere.goto(link);
  await expectScreen(elsewhere, 'This link has already been used');
  await expect(elsewhere.getByText("If you've already set up how you sign in")).toBeVisible();
  await elsewhere.goto(`${portico.origin}/auth/signin`);
  await alive(elsewhere);
  await field(elsewhere, 'Email').fill(person.email);
  await field(elsewhere, 'Password').fill(person.password);
  await button(elsewhere, 'Login').click();
  await expect(elsewhere.getByText('Wrong email or password.')).toBeVisible();
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('a link of the operator leads to a password, and then to the factor that the account needs', async ({
      page,
      world,
    }) => {
      const portico = await world.requiring('0s');
      const person = world.stranger();
      portico.command(['user', 'create', person.email]);
      await page.goto(linkFor(portico, person.email));
      await button(page, 'Continue').click();
      await expectScreen(page, 'Create your passkey');
      if (javaScriptEnabled) await alive(page);
      else await expect(page.getByText('To create a passkey, turn on JavaScript')).toBeVisible();
      await expect(page.getByText(`Create the passkey that signs you in as ${person.email}`)).toBeVisible();
      await link(page, 'Choose a password instead').click();
      await expectScreen(page, 'Choose a password');
      if (javaScriptEnabled) await alive(page);
      await field(page, 'New password').fill(person.password);
      await field(page, 'Confirm Password').fill(person.password);
      await button(page, 'Save password').click();
      await expectScreen(page, 'Set up a second step');
      await page.goto(`${portico.origin}/auth/account`);
      await expectScreen(page, 'Set up a second step'); // no page before it
    });
  });
}
