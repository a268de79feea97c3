import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { binary } from './binary.js';
import { createDatabase, type Database } from './database.js';
import { freePorts } from './port.js';

export interface Outside {
  /** Port of the mail server. */
  smtp: number;
  /** Issuer of the external identity provider, if there is one. */
  issuer?: string;
  /** Preset of the identity provider; none without one. */
  preset?: string;
  /** Origin of an app that is an allowed return target. */
  app?: string;
  /** Texts of the operator, by language and key. */
  texts?: Record<string, Record<string, string | Record<string, string>>>;
  /** Tables of portico.toml. */
  settings?: string;
  /** Origin that browsers know it by, behind a proxy; its own without one. */
  site?: string;
  /** Version of the terms of use that users accept. */
  terms?: string;
}

export const PROVIDER = { id: 'acme', name: 'Acme ID', clientId: 'portico', clientSecret: 'portico-at-acme' };

/** A running Portico with a database of its own. */
export class Portico {
  readonly origin: string;
  /** Lines of its log, parsed. */
  readonly log: Record<string, unknown>[] = [];
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #environment: Record<string, string>;
  readonly #database: Database;

  private constructor(
    origin: string,
    child: ChildProcess,
    folder: string,
    environment: Record<string, string>,
    database: Database,
  ) {
    this.origin = origin;
    this.#child = child;
    this.#folder = folder;
    this.#environment = environment;
    this.#database = database;
  }

  static async start(outside: Outside, attempts = 3): Promise<Portico> {
    const [listen = 0, operations = 0] = await freePorts(2);
    const folder = await mkdtemp(join(tmpdir(), 'portico-e2e-'));
    const origin = `http://localhost:${listen}`;
    const keyFile = join(folder, 'secret.key');
    const database = await createDatabase(folder, keyFile);
    await mkdir(join(folder, 'texts'));
    for (const [locale, texts] of Object.entries(outside.texts ?? {}))
      await writeFile(join(folder, 'texts', `${locale}.json`), JSON.stringify(texts));
    if (outside.settings) await writeFile(join(folder, 'portico.toml'), outside.settings, { mode: 0o600 });
    const env = environment(outside, { origin, listen, operations, keyFile, database: database.url });
    const child = spawn(binary, ['serve'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    process.once('exit', () => child.kill()); // also when a worker is stopped early
    const portico = new Portico(origin, child, folder, env, database);
    try {
      await portico.#serving();
      return portico;
    } catch (error) {
      await portico.stop();
      // another process may take a free port before Portico does
      if (attempts > 1 && String(error).includes('address already in use'))
        return Portico.start(outside, attempts - 1);
      throw error;
    }
  }

  /** Resolves at the log line of a ready server. After an early end, the error has the whole output. */
  async #serving(): Promise<void> {
    const printed: string[] = [];
    const serving = new Promise<void>((resolve, reject) => {
      for (const stream of [this.#child.stdout, this.#child.stderr]) {
        if (!stream) continue;
        createInterface(stream).on('line', (line) => {
          printed.push(line);
          const entry = parseLine(line);
          if (entry) this.log.push(entry);
          if (entry?.['msg'] === 'serving') resolve();
        });
      }
      this.#child.once('close', () => reject(new Error(`portico serve ended:\n${printed.join('\n')}`)));
    });
    await serving;
  }

  /** Runs a command of the operator, with its standard input, and returns its output. */
  command(args: string[], input = ''): string {
    return execFileSync(binary, args, {
      cwd: this.#folder,
      env: this.#environment,
      input,
      encoding: 'utf8',
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    this.#database.drop();
    await rm(this.#folder, { recursive: true });
  }
}

interface Place {
  origin: string;
  listen: number;
  operations: number;
  keyFile: string;
  database: string;
}

function environment(
  { smtp, issuer, preset, app, site, terms }: Outside,
  { origin, listen, operations, keyFile, database }: Place,
) {
  return {
    PORTICO_PUBLIC_URL: site ?? origin,
    PORTICO_LISTEN: `127.0.0.1:${listen}`,
    PORTICO_OPS_LISTEN: `127.0.0.1:${operations}`,
    PORTICO_DATABASE_URL: database,
    PORTICO_SECRET_FILE: keyFile,
    PORTICO_SMTP_URL: `smtp://127.0.0.1:${smtp}?tls=none`,
    PORTICO_MAIL_FROM: 'Portico <no-reply@example.org>',
    ...(app ? { PORTICO_RETURN_ORIGINS: app } : {}),
    ...(terms
      ? { PORTICO_LEGAL_TERMS: 'https://example.org/terms', PORTICO_LEGAL_TERMS_VERSION: terms }
      : {}),
    ...(issuer
      ? {
          PORTICO_PROVIDERS_ACME_ISSUER: issuer,
          ...(preset ? { PORTICO_PROVIDERS_ACME_PRESET: preset } : {}),
          PORTICO_PROVIDERS_ACME_NAME: PROVIDER.name,
          PORTICO_PROVIDERS_ACME_CLIENT_ID: PROVIDER.clientId,
          PORTICO_PROVIDERS_ACME_CLIENT_SECRET: PROVIDER.clientSecret,
          PORTICO_PROVIDERS_ACME_TRUST_EMAIL: 'true',
        }
      : {}),
  };
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
