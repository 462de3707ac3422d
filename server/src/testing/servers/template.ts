// The database that every test's is cloned from: migrated, and with a row for each probe and rule of the catalogs, as after a first
// start. The global set-up makes it, so that no test loads the catalogs for it.
import pg from 'pg';
import { syncAlertRules } from '../../alerting/alert-rules/alert-rules.service.ts';
import { migrate } from '../../datastore/migrate.ts';
import { syncProbeConfigs } from '../../estate/probe-configs/effective.service.ts';
import { Database, type Db } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { probes } from '../../probes/catalog.gen.ts';

async function asAdmin(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A row for each probe and rule, as a first start makes them: for a datastore that is not cloned from the template. */
export async function syncCatalogs(db: Db): Promise<void> {
  await syncProbeConfigs(db, probes);
  await syncAlertRules(db);
}

/** On the server at `url`, by a role that may create databases. */
export async function makeTemplate(url: string, template: string): Promise<void> {
  await asAdmin(url, [`create database ${template}`]);
  const inside = new URL(url);
  inside.pathname = `/${template}`;
  const secret = new Secret(inside.toString());
  await migrate(secret, silentLog);
  const db = new Database({ url: secret, log: silentLog, applicationName: 'matriarch test', max: 1 });
  await syncCatalogs(db);
  await db.stop();
  await asAdmin(url, [`alter database ${template} is_template true`]);
}
