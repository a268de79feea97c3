import * as oidc from 'openid-client';
import { button, expectScreen, field, fillSignIn, link } from '../support/screen.js';
import { expect, test } from '../support/test.js';
import { TV } from '../support/world.js';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('a user signs in on a device without a browser', async ({ page, world }) => {
      const portico = await world.anotherPortico({ settings: TV });
      const person = world.stranger();
      portico.command(['user', 'create', person.email, '--password'], `${person.password}\n`);
      const tv = await oidc.discovery(new URL(portico.origin), 'tv', undefined, oidc.None(), {
        execute: [oidc.allowInsecureRequests],
      });
      const begun = await oidc.initiateDeviceAuthorization(tv, { scope: 'openid email' });
      const asks = () =>
        oidc.genericGrantRequest(tv, 'urn:ietf:params:oauth:grant-type:device_code', {
          device_code: begun.device_code,
        });
      await expect(asks()).rejects.toMatchObject({ error: 'authorization_pending' });

      await page.goto(begun.verification_uri);
      await expectScreen(page, 'Sign in');
      await fillSignIn(page, person);
      await button(page, 'Login').click();
      await expectScreen(page, 'Sign in on a device');
      await field(page, 'Code on your device').fill('bbbb-bbbb');
      await button(page, 'Continue').click();
      await expect(page.getByText('No device is waiting with this code.')).toBeVisible();

      await page.goto(begun.verification_uri_complete ?? '');
      await expectScreen(page, 'Sign in on a device');
      await expect(field(page, 'Code on your device')).toHaveValue(begun.user_code);
      await field(page, 'Code on your device').press('Enter');
      await expectScreen(page, 'Sign in to Living room on your device?');
      await expect(page.getByText('If someone sent you the code')).toBeVisible();
      await expect(page.getByText(begun.user_code)).toBeVisible();
      await button(page, 'Yes, sign in').focus();
      await page.keyboard.press('Enter');
      await expectScreen(page, "You're signed in to Living room");

      const tokens = await asks();
      const user = await oidc.fetchUserInfo(tv, tokens.access_token, oidc.skipSubjectCheck);
      expect(user.email).toBe(person.email);
      await link(page, 'Go to your account').click();
      await expectScreen(page, 'Your account');

      const other = await oidc.initiateDeviceAuthorization(tv, { scope: 'openid' });
      await page.goto(other.verification_uri_complete ?? '');
      await button(page, 'Continue').click();
      await button(page, 'Cancel').click();
      await expectScreen(page, 'Sign-in canceled');
      const refused = oidc.genericGrantRequest(tv, 'urn:ietf:params:oauth:grant-type:device_code', {
        device_code: other.device_code,
      });
      await expect(refused).rejects.toMatchObject({ error: 'access_denied' });
    });
  });
}
