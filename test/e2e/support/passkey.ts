import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect, type Locator, type Page } from '@playwright/test';
import { alive, button, expectScreen, open, signIn } from './screen.js';

interface Held {
  credentialId: string;
  isResidentCredential: boolean;
  signCount: number;
  userName?: string;
  userDisplayName?: string;
}

/** The virtual authenticator of a page, as a phone or a laptop has one. */
export class Authenticator {
  private readonly send: (method: string, params?: object) => Promise<unknown>;
  private readonly id: string;

  private constructor(send: Authenticator['send'], id: string) {
    this.send = send;
    this.id = id;
  }

  static async plugInto(page: Page, options: object = {}): Promise<Authenticator> {
    const devtools = await page.context().newCDPSession(page);
    const send = (method: string, params: object = {}) =>
      (devtools.send as (method: string, params: object) => Promise<unknown>)(`WebAuthn.${method}`, params);
    await send('enable', { enableUI: false });
    const added = (await send('addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        ...options,
      },
    })) as { authenticatorId: string };
    return new Authenticator(send, added.authenticatorId);
  }

  async held(): Promise<Held[]> {
    const { credentials } = (await this.send('getCredentials', { authenticatorId: this.id })) as {
      credentials: Held[];
    };
    return credentials;
  }

  /** Whether the person passes the check of the device. */
  verify(isUserVerified: boolean): Promise<unknown> {
    return this.send('setUserVerified', { authenticatorId: this.id, isUserVerified });
  }

  /** Whether the person answers the dialog of the browser by itself. */
  answer(enabled: boolean): Promise<unknown> {
    return this.send('setAutomaticPresenceSimulation', { authenticatorId: this.id, enabled });
  }

  /** A copy of each passkey with an older counter takes its place. */
  async copy(signCount: number): Promise<void> {
    for (const credential of await this.held()) {
      await this.send('removeCredential', {
        authenticatorId: this.id,
        credentialId: credential.credentialId,
      });
      await this.send('addCredential', {
        authenticatorId: this.id,
        credential: { ...credential, signCount },
      });
    }
  }

  /** The same device in the window of another page: it has the same passkeys. */
  async alsoIn(page: Page): Promise<Authenticator> {
    const same = await Authenticator.plugInto(page);
    await same.keep(await this.held());
    return same;
  }

  /** Signs in again in the window that a press opens beside its page. */
  async provesBeside(press: Locator): Promise<void> {
    const opened = press.page().context().waitForEvent('page');
    await press.click();
    const beside = await opened;
    await expectScreen(beside, "Confirm it's you");
    await this.alsoIn(beside);
    await alive(beside);
    await Promise.all([beside.waitForEvent('close'), button(beside, 'Use a passkey').click()]);
  }

  /** Puts passkeys of another device on this one. */
  async keep(held: Held[]): Promise<void> {
    for (const credential of held) await this.send('addCredential', { authenticatorId: this.id, credential });
  }

  /** Puts a passkey on the device that no account has. */
  keepStray(): Promise<unknown> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const credential = {
      credentialId: randomBytes(16).toString('base64'),
      isResidentCredential: true,
      rpId: 'localhost',
      privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      userHandle: randomBytes(16).toString('base64'),
      signCount: 1,
    };
    return this.send('addCredential', { authenticatorId: this.id, credential });
  }

  unplug(): Promise<unknown> {
    return this.send('removeVirtualAuthenticator', { authenticatorId: this.id });
  }
}

/** Adds a passkey to the account that is signed in. */
export async function addPasskey(page: Page): Promise<void> {
  await open(page, '/auth/account/passkeys');
  await expectScreen(page, 'Passkeys');
  await button(page, 'Add a passkey').click();
  await expect(page.getByText('Passkey added.')).toBeVisible();
}

/** Signs in with a password, and adds a passkey on a device that the page has from then on. */
export async function withPasskey(
  page: Page,
  person: { email: string; password: string },
): Promise<Authenticator> {
  await signIn(page, person);
  const device = await Authenticator.plugInto(page);
  await addPasskey(page);
  return device;
}

/** Signs out, and opens the sign-in page with its offer ready. */
export async function leave(page: Page): Promise<void> {
  await page.context().clearCookies();
  await open(page, '/auth/signin');
}

/** Leaves the button alone. The offer in the field is answered by itself, and again after a refusal. */
export async function withoutOffer(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
}

/** Browsers without the signals do not tell a device what has changed at the site. */
export async function withoutSignals(page: Page): Promise<void> {
  await page.addInitScript(() => {
    for (const name of [
      'signalUnknownCredential',
      'signalAllAcceptedCredentials',
      'signalCurrentUserDetails',
    ])
      Reflect.deleteProperty(PublicKeyCredential, name);
  });
}
