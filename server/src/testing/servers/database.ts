// A migrated database of its own for each test file, cloned from the one template that the global set-up has made, on the
// PostgreSQL 18 that it started. Cloning takes about 30 ms, so no test has to share.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { openEngine } from '../../store/layout/engine/open.ts';
import { foreignUrl, installEngine } from './foreign.ts';
import type {} from './global-setup.ts';

export interface TestDatabase {
  url: Secret;
  db: Database;
  name: string;
  close(): Promise<void>;
}

function urlOf(database: string): string {
  const url = new URL(inject('datastoreUrl'));
  url.pathname = `/${database}`;
  return url.toString();
}

/**
 * The same over the socket of the run's own server, where nobody has to prove who they are: a session begins in half the
 * time, and a statement costs an eighth less.
 */
function quickUrlOf(database: string): string {
  if (foreignUrl() !== undefined) return urlOf(database);
  const { superuser, port, socketDir } = inject('testServers').datastore;
  return `postgres://${superuser}@localhost:${port}/${database}?host=${encodeURIComponent(socketDir)}`;
}

async function withAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const connectionString = foreignUrl() === undefined ? quickUrlOf('postgres') : inject('datastoreUrl');
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export interface DatabaseChoice {
  /** The test chooses the engine of the store; otherwise it is the one that the server runs. */
  choosesEngine?: boolean;
}

/** A fresh database, migrated and with the catalogs' probes and rules, as after a first start; close() drops it. */
export async function testDatabase({ choosesEngine = false }: DatabaseChoice = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withAdmin(async (client) => {
    const template = inject('datastoreTemplate');
    // Copying files is ten times faster than writing them to the WAL, and the template is never written to.
    const how = foreignUrl() === undefined ? 'strategy file_copy' : '';
    await client.query(`create database ${name} template ${template} ${how}`);
  });
  const url = new Secret(urlOf(name));
  const db = new Database({
    url: new Secret(quickUrlOf(name)),
    log: silentLog,
    applicationName: 'matriarch test',
    max: 8,
  });
  if (foreignUrl() !== undefined && !choosesEngine) await installEngine(url.reveal());
  await openEngine(db);
  const close = async () => {
    await db.stop();
    await withAdmin((client) => client.query(`drop database if exists ${name} with (force)`));
  };
  return { url, db, name, close };
}
