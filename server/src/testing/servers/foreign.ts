// A server that somebody else runs as the datastore of tests: MATRIARCH_TEST_DATASTORE_URL names it, with a role that
// may create databases and extensions. So the same suites run on real Citus or TimescaleDB. Guards: the template of a
// run has a name of its own there, and goes with it.
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
