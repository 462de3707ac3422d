// The datastore of a bench: a database of its own on the server that MATRIARCH_TEST_DATASTORE_URL names, as for tests, or
// on one that is started for it. Guards: the database goes with the bench, whatever becomes of that; only one that
// MATRIARCH_BENCH_KEEP names, on such a server, stays, so that what took long to fill can be read again.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../datastore/migrate.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { openEngine } from '../store/layout/engine/open.ts';
import { type ClusterOptions, startIn } from '../testing/servers/cluster.ts';
import { foreignUrl, installEngine } from '../testing/servers/foreign.ts';

/** Until when (milliseconds since the epoch) a database that was kept is filled; undefined: it has to be filled. */
export async function filledBefore(db: Database): Promise<number | undefined> {
  const there = await db.one<{ is_there: boolean }>(
    sql`select to_regclass('public.bench_filled') is not null as is_there`,
  );
  if (!there.is_there) return undefined;
  return (await db.one<{ until: number }>(sql`select until::double precision from public.bench_filled`))
    .until;
}

export async function noteFilled(db: Database, until: number): Promise<void> {
  await db.run(sql`create table public.bench_filled (until bigint)`);
  await db.run(sql`insert into public.bench_filled values (${until}::bigint)`);
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs `work` on a fresh, migrated database whose engine is open. */
export async function withBenchDatastore(
  directory: string,
  settings: ClusterOptions['settings'],
  work: (db: Database, url: Secret) => Promise<void>,
): Promise<void> {
  const foreign = foreignUrl();
  await using stack = new AsyncDisposableStack();
  const own =
    foreign === undefined
      ? await startIn(directory, { major: 18, ...(settings && { settings }) })
      : undefined;
  if (own) stack.use(own);
  const server = foreign ?? own?.url ?? '';
  const kept = foreign === undefined ? undefined : process.env.MATRIARCH_BENCH_KEEP;
  const name = kept ?? `bench_${randomBytes(4).toString('hex')}`;
  await onServer(server, async (client) => {
    const known = await client.query('select from pg_database where datname = $1', [name]);
    if (known.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
  if (kept === undefined)
    stack.defer(() =>
      onServer(
        server,
        async (client) => void (await client.query(`drop database if exists ${name} with (force)`)),
      ),
    );
  const url = new URL(server);
  url.pathname = `/${name}`;
  if (foreign !== undefined) await installEngine(url.toString());
  const secret = new Secret(url.toString());
  await migrate(secret, silentLog);
  const db = new Database({ url: secret, log: silentLog, applicationName: 'bench' });
  stack.defer(() => db.stop());
  const { name: engine } = await openEngine(db);
  if (foreign !== undefined) process.stdout.write(`On a server of somebody else's, engine ${engine}\n`);
  await work(db, secret);
}
