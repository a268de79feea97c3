import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const BINARY =
  process.env['PORTICO_BIN'] ?? fileURLToPath(new URL('../../../../bin/portico', import.meta.url));

export const PASSWORD = 'copper lantern over seven hills';

/** @param {import('node:net').Server} server */
export async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/** A port below the range that Linux gives to outgoing connections, one of which could take it before Portico listens. */
export async function freePort() {
  for (;;) {
    const server = createServer();
    const port = randomInt(20_000, 32_000);
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** The real program, with an app behind it and two people: mara, who is an admin, and ben. */
export class Site {
  origin = '';
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  /** @type {Record<string, string>} */
  #environment = {};
  #folder = '';

  /** @param {number} upstream port of the app @param {Record<string, string>} [settings] */
  static async start(upstream, settings = {}) {
    const site = new Site();
    site.#folder = await mkdtemp(join(tmpdir(), 'portico-js-'));
    const [port, operations] = [await freePort(), await freePort()];
    site.origin = `http://localhost:${port}`;
    site.#environment = {
      PATH: process.env['PATH'] ?? '',
      PORTICO_PUBLIC_URL: site.origin,
      PORTICO_LISTEN: `127.0.0.1:${port}`,
      PORTICO_OPS_LISTEN: `127.0.0.1:${operations}`,
      PORTICO_DATABASE_URL: `sqlite:${site.#folder}/p.db`,
      PORTICO_SECRET_FILE: `${site.#folder}/key`,
      PORTICO_SMTP_URL: 'smtp://localhost:1?tls=none', // no test sends mail
      PORTICO_MAIL_FROM: 'no-reply@example.com',
      PORTICO_UPSTREAM: `http://127.0.0.1:${upstream}`,
      ...settings,
    };
    await site.run('migrate');
    await site.run(
      'user',
      'create',
      'mara@example.com',
      '--name',
      'Mära Lind',
      '--role',
      'admin',
      '--password',
    );
    await site.run('user', 'create', 'ben@example.com', '--password');
    process.once('exit', () => site.#child?.kill());
    await site.#serve();
    return site;
  }

  async #serve() {
    const child = spawn(BINARY, ['serve'], { env: this.#environment, cwd: this.#folder, stdio: 'ignore' });
    this.#child = child;
    const ready = `http://${this.#environment['PORTICO_OPS_LISTEN']}/readyz`;
    for (let tries = 0; !(await fetch(ready).catch(() => null))?.ok; tries += 1) {
      if (tries === 400 || child.exitCode !== null) throw new Error('Portico does not start');
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async #end() {
    if (this.#child?.exitCode !== null) return;
    this.#child.kill();
    await once(this.#child, 'exit');
  }

  /** Makes all sign-ins an hour older. The program keeps sessions in memory, so it does not run meanwhile. */
  async age() {
    await this.#end();
    const statement = 'UPDATE session SET authenticated_at = authenticated_at - 3600000000'; // microseconds
    await promisify(execFile)('sqlite3', [join(this.#folder, 'p.db'), statement]);
    await this.#serve();
  }

  /** Runs a command and returns what it prints. @param {string[]} args */
  async run(...args) {
    const running = promisify(execFile)(BINARY, args, { env: this.#environment, cwd: this.#folder });
    running.child.stdin?.end(`${PASSWORD}\n`);
    return (await running).stdout;
  }

  /** Signs a person in and returns the Cookie line of their browser. @param {string} email */
  async signIn(email) {
    const response = await fetch(`${this.origin}/auth/api/signin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.origin },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    if (!response.ok) throw new Error(`signing in: ${response.status} ${await response.text()}`);
    return response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
  }

  async stop() {
    await this.#end();
    await rm(this.#folder, { recursive: true });
  }
}
