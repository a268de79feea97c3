import { createHmac } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { alive, button, expectScreen, field, open } from './screen.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An authenticator app (RFC 6238). Each code works once, so every call gives a later one. */
export class Authenticator {
  readonly #key: Buffer;
  #step = 0;

  constructor(secret: string) {
    const bits = [...secret.replaceAll(' ', '')]
      .map((c) => ALPHABET.indexOf(c).toString(2).padStart(5, '0'))
      .join('');
    this.#key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  }

  /** The server takes the codes of one step before and after the current one: two calls in a row work. */
  next(): string {
    this.#step = Math.max(this.#step + 1, Math.floor(Date.now() / 30_000));
    return this.#at(this.#step);
  }

  /** A code that is not right now. */
  wrong(): string {
    const near = [-2, -1, 0, 1, 2, 3].map((n) => this.#at(Math.floor(Date.now() / 30_000) + n));
    return near.includes('000000') ? '000001' : '000000';
  }

  #at(step: number): string {
    const counter = Buffer.alloc(8);
    counter.writeBigInt64BE(BigInt(step));
    const sum = createHmac('sha1', this.#key).update(counter).digest();
    const at = (sum[19] ?? 0) & 0x0f;
    return String((sum.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
  }
}

/** Begins to add an app on the page of a signed-in user, and reads its key. */
export async function beginSetup(page: Page, at = '/auth/account/factors'): Promise<Authenticator> {
  await open(page, at);
  await button(page, 'Set up an authenticator app').click();
  await expectScreen(page, 'Set up your authenticator app');
  await alive(page);
  await page.getByText("Can't scan it?").click();
  return new Authenticator((await page.locator('code').textContent()) ?? '');
}

/** Adds an authenticator app and returns it with the recovery codes. */
export async function enrol(page: Page): Promise<{ app: Authenticator; codes: string[] }> {
  const app = await beginSetup(page);
  await field(page, '6-digit code').fill(app.next());
  await expectScreen(page, 'Save your recovery codes');
  await alive(page);
  const codes = await page.getByRole('list', { name: 'Your recovery codes' }).locator('code').allInnerTexts();
  expect(codes).toHaveLength(10);
  return { app, codes };
}
