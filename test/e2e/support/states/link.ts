import { expect, type Page } from '@playwright/test';
import { button, expectScreen, field, forgot, open, signUp } from '../screen.js';
import type { World } from '../world.js';
import type { State } from './state.js';

const WRONG = 'not the right password';

/** The screens of an emailed link. */
export const LINK: State[] = [
  {
    name: 'confirm-link-signup',
    reach: async (page, world) => {
      const person = world.stranger();
      await signUp(page, person);
      await open(page, (await world.mailbox.next(person.email)).link);
    },
  },
  {
    name: 'confirm-link-password',
    reach: async (page, world) => open(page, (await beginElsewhere(page, world)).link),
  },
  {
    name: 'confirm-link-rejected',
    reach: async (page, world) => {
      await open(page, (await beginElsewhere(page, world)).link);
      await field(page, 'Password').fill(WRONG);
      await button(page, 'Confirm address').click();
      await expect(page.getByText("That's not the password")).toBeVisible();
    },
  },
  {
    name: 'confirm-link-used',
    reach: async (page, world) => {
      const person = world.stranger();
      await signUp(page, person);
      const mail = await world.mailbox.next(person.email);
      await page.keyboard.type(mail.code);
      await expectScreen(page, 'Your account');
      await open(page, mail.link);
      await expectScreen(page, 'This link has already been used');
    },
  },
  {
    name: 'confirm-link-malformed',
    reach: (page) => open(page, '/auth/confirm-link?token=half-of-it'),
  },
  {
    name: 'confirm-link-recovery',
    reach: async (page, world) => {
      const { email } = await world.member();
      await forgot(page, email);
      await open(page, (await world.mailbox.next(email)).link);
    },
  },
];

/** A registration that began in another browser. */
async function beginElsewhere(page: Page, world: World) {
  const person = world.stranger();
  const elsewhere = await page.context().browser()?.newContext({ baseURL: world.portico.origin });
  if (!elsewhere) throw new Error('no browser');
  await signUp(await elsewhere.newPage(), person);
  await elsewhere.close();
  return world.mailbox.next(person.email);
}
