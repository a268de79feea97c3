import { execFileSync } from 'node:child_process';
import { createCipheriv, pbkdf2Sync } from 'node:crypto';
import { join } from 'node:path';
import { type BrowserContext, chromium } from '@playwright/test';

/**
 * Chromium with a window, a profile on disk and its password manager: without the switches by which Playwright turns
 * the manager off.
 */
export const openProfile = (folder: string, display: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, {
    headless: false,
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    env: { ...process.env, DISPLAY: display },
    ignoreDefaultArgs: [
      '--disable-features',
      '--enable-automation',
      '--disable-component-extensions-with-background-pages',
      '--use-mock-keychain',
    ],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--password-store=basic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });

/** Saves a password in a closed profile that was opened before, as the manager stores it without a keyring. */
export function savePassword(folder: string, origin: string, user: string, password: string): void {
  const database = join(folder, 'Default', 'Login Data');
  const sqlite = (statement: string) => execFileSync('sqlite3', [database, statement], { encoding: 'utf8' });
  const given: Record<string, string> = {
    origin_url: text(`${origin}/`),
    signon_realm: text(`${origin}/`),
    username_value: text(user),
    password_value: `x'${sealed(password).toString('hex')}'`,
    date_created: '13400000000000000', // microseconds since 1601
    times_used: '1',
  };
  const columns = sqlite(`SELECT name || ' ' || type FROM pragma_table_info('logins') WHERE name <> 'id'`)
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);
  const values = columns.map(([name, type]) => given[name] ?? EMPTY[type] ?? '0');
  sqlite(`INSERT INTO logins (${columns.map(([name]) => name).join()}) VALUES (${values.join()})`);
}

const EMPTY: Record<string, string> = { BLOB: "x''", VARCHAR: "''" };

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Encrypts as `--password-store=basic` does: with a fixed key, because there is no keyring. */
function sealed(password: string): Buffer {
  const key = pbkdf2Sync('peanuts', 'saltysalt', 1, 16, 'sha1');
  const cipher = createCipheriv('aes-128-cbc', key, Buffer.alloc(16, ' '));
  return Buffer.concat([Buffer.from('v10'), cipher.update(password), cipher.final()]);
}
