import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The database of one Portico, and its key. */
export interface Database {
  url: string;
  drop: () => void;
}

/**
 * Creates the database of an installation: a file in the folder, or with PORTICO_TEST_DATABASE=postgres a database on
 * the server of `tools/postgres`.
 */
export async function createDatabase(folder: string, keyFile: string): Promise<Database> {
  if (process.env['PORTICO_TEST_DATABASE'] !== 'postgres')
    return { url: `sqlite:${join(folder, 'portico.db')}`, drop: () => {} };
  const server = process.env['PORTICO_TEST_POSTGRES'];
  if (!server)
    throw new Error('there is no PostgreSQL: run it as `tools/postgres run -- ...`, as `make e2e` does');
  const name = `e2e_${randomBytes(8).toString('hex')}`;
  const psql = (statement: string) =>
    execFileSync('psql', ['-qc', statement, server], { stdio: ['ignore', 'ignore', 'pipe'] });
  psql(`CREATE DATABASE ${name}`);
  // nodes that share a database share a key, so none is made for them
  await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  // A busy machine answers later than visitors would wait.
  const url = `${server.replace(/\/postgres\?/, `/${name}?`)}&answer_within=60s`;
  return { url, drop: () => psql(`DROP DATABASE ${name} WITH (FORCE)`) };
}
