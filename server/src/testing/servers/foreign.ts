// A server that somebody else runs as the datastore of tests: MATRIARCH_TEST_DATASTORE_URL names it, with a role that
// may create databases and extensions. So the same suites run on real Citus or TimescaleDB: each database gets the engine
// that the server runs, unless its test chooses one. Guards: the template of a run has a name of its own there, and goes with it.
import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Undefined: the run starts its own. */
export const foreignUrl = (): string | undefined => process.env.MATRIARCH_TEST_DATASTORE_URL || undefined;

/** What a run calls its template. */
export const templateName = (isForeign: boolean): string =>
  isForeign ? `matriarch_template_${randomBytes(4).toString('hex')}` : 'matriarch_template';

/** Drops what the run has left on it. */
export async function dropTemplate(url: string, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template]);
    if (!rowCount) return;
    await client.query(`alter database ${template} is_template false`);
    await client.query(`drop database ${template} with (force)`);
  } finally {
    await client.end();
  }
}

/** Extensions that new databases are given where the server runs them. */
const ENGINES = ['citus', 'timescaledb'];

/** Gives a database on it the engine that the server has: metrics lie there as they would in use. */
export async function installEngine(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select name from pg_available_extensions where name = any ($1) and name = any (
        string_to_array(replace(current_setting('shared_preload_libraries'), ' ', ''), ','))`,
      [ENGINES],
    );
    for (const { name } of rows) await client.query(`create extension if not exists ${name} cascade`);
  } finally {
    await client.end();
  }
}
