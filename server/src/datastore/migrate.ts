// Migrations: plain SQL files, forward only, each in one transaction, under one advisory lock, remembered with a
// checksum. A file that changed after it ran, or a database that is newer than this program, stops the start with
// a sentence: guessing would cost somebody their data.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { UsageError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';
import { withSession } from '../kernel/session.ts';

/** Arbitrary, but the same in every version: whoever migrates holds this advisory lock. */
const LOCK_KEY = 7_264_901;
const OLDEST_SUPPORTED = 140_000;
/** SQLSTATEs of a table, a function or another object that is there already. */
const ALREADY_THERE = new Set(['42P07', '42723', '42710']);
const directory = new URL('../../migrations/', import.meta.url);

interface Applied {
  version: number;
  name: string;
  checksum: string;
}

interface Migration extends Applied {
  text: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, directory), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { version: Number(name.slice(0, 4)), name, text, checksum };
    }),
  );
}

/**
 * Commits do not wait for the disk one by one. They reach it in their order, each before whatever is committed after them; a
 * server that dies in between has the first ones, and the next start goes on with the others. What is there is not made again: a
 * distributed datastore sends whatever makes something to all its nodes, of which one may be away.
 */
async function prepare(client: pg.Client): Promise<void> {
  await client.query(`
    /* migrate.prepare */ set synchronous_commit = off;
    do $body$
    begin
      if pg_catalog.to_regnamespace('matriarch') is null then
        create schema matriarch;
      end if;
      if pg_catalog.to_regclass('matriarch.migrations') is null then
        create table matriarch.migrations (
          version integer primary key,
          name text not null,
          checksum text not null,
          applied_at timestamptz not null default now()
        );
      end if;
    end
    $body$`);
}

function checkApplied(applied: readonly Applied[], known: Migration[]) {
  for (const row of applied) {
    const migration = known.find(({ version }) => version === row.version);
    if (!migration)
      throw new UsageError(
        `The datastore was made by a newer version of Matriarch (migration ${row.name} is unknown here). Start that version, or restore a backup taken before the upgrade.`,
      );
    if (migration.checksum !== row.checksum)
      throw new UsageError(
        `Migration ${row.name} is not the one this datastore was made with. Install an unmodified release of Matriarch.`,
      );
  }
}

/** Waits until nobody else migrates. */
async function lockServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version_num: string; version: string }>(
    `/* migrate.lock */ select current_setting('server_version_num') as version_num,
       current_setting('server_version') as version, pg_advisory_lock(${LOCK_KEY})`,
  );
  const row = rows[0];
  if (!row || Number(row.version_num) < OLDEST_SUPPORTED)
    throw new UsageError(
      `The datastore runs PostgreSQL ${row?.version}; Matriarch needs 14 or newer. Give another server with --datastore-url.`,
    );
}

/** The text of a transaction of its own that runs one migration and remembers it. */
function transactionOf({ version, name, checksum, text }: Migration): string {
  const values = [String(version), pg.escapeLiteral(name), pg.escapeLiteral(checksum)].join(', ');
  const record = `/* migrate.record */ insert into matriarch.migrations (version, name, checksum) values (${values})`;
  return `begin;\n${text}\n;${record};\ncommit;\n`;
}

const readApplied = async (client: pg.Client): Promise<Applied[]> =>
  (
    await client.query<Applied>(
      '/* migrate.applied */ select version, name, checksum from matriarch.migrations order by version',
    )
  ).rows;

/** Somebody else's schema `matriarch`, or what a restore left half. */
function inTheWay(error: unknown): UsageError | undefined {
  if (!(error instanceof pg.DatabaseError) || !ALREADY_THERE.has(error.code ?? '')) return undefined;
  return new UsageError(
    `The datastore has what Matriarch makes itself: ${error.message}. Name a database of its own with --datastore-url, or drop what is in the way.`,
  );
}

/** Sends all of them at once, so that nobody waits for anybody between two; the first that fails ends it. */
async function applyAll(client: pg.Client, due: readonly Migration[]): Promise<void> {
  await client.query(due.map(transactionOf).join('')).catch(async (error: unknown) => {
    await client.query('rollback').catch(() => undefined);
    throw inTheWay(error) ?? error;
  });
}

/** Brings the datastore up to date; a second starter waits for the first. Answers the names of what was applied. */
export async function migrate(url: Secret, log: Log): Promise<string[]> {
  const reading = readMigrations();
  reading.catch(() => undefined);
  return withSession({ url, applicationName: 'matriarch migrate' }, async (client) => {
    await lockServer(client);
    await prepare(client);
    const known = await reading;
    const before = await readApplied(client);
    checkApplied(before, known);
    const done = new Set(before.map(({ version }) => version));
    const due = known.filter(({ version }) => !done.has(version));
    if (due.length === 0) return [];
    const tell = (applied: readonly Applied[]) => {
      for (const { version, name } of applied)
        if (!done.has(version)) log.info({ event: 'datastore.migrated', migration: name });
    };
    try {
      await applyAll(client, due);
    } catch (error) {
      tell(await readApplied(client).catch(() => before));
      throw error;
    }
    tell(due);
    return due.map(({ name }) => name);
  });
}
