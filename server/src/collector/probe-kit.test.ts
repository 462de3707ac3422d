// The contract of every probe: on each supported version it yields exactly what it declares, and what is stored is
// what the server itself says at that moment.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { isSqlProbe, keyColumns, type Probe, type SqlProbe } from '../probes/types.ts';
import { factsOf, snapshotsOf } from '../store/reads.ts';
import { MetricsWriter } from '../store/writer.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { MAJORS, type Major, sharedServer, type TestServer } from '../testing/postgres.ts';
import { runBatch } from './batch.ts';
import { judge } from './outcomes.ts';
import { probeStatement } from './probe.queries.ts';
import { learn, openSession, type Session } from './session.ts';
import type { CollectorTarget } from './types.ts';

function targetOn(server: TestServer, id = 1): CollectorTarget {
  return {
    connection_id: id,
    revision: 1,
    node_exporter_url: null,
    settings: {
      host: server.host,
      port: server.port,
      database: 'postgres',
      username: server.superuser,
      password: new Secret(server.password),
      ssl_mode: 'disable',
      allow_private_networks: true,
    },
  };
}

/** As an ordinary session of the same role sees it. */
async function directly(server: TestServer, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const OIDS = new Map([
  ['text', 25],
  ['integer', 23],
  ['bigint', 20],
  ['double precision', 701],
  ['boolean', 16],
  ['timestamp with time zone', 1184],
]);

/** Those of the server's machine have a kit of their own, probe-kit-host.test.ts. */
const probes = catalog.filter(isSqlProbe);

function probeNamed(name: string): SqlProbe {
  const probe = probes.find((one) => one.name === name);
  if (!probe) throw new Error(`no probe ${name}`);
  return probe;
}

let store: TestDatabase;
beforeAll(async () => {
  store = await testDatabase();
});
afterAll(() => store.close());

async function writeRun(probe: SqlProbe, session: Session, id: number): Promise<void> {
  const [answer] = await runBatch(session, [{ text: probeStatement(probe, session.capabilities) }]);
  if (!answer) throw new Error('no answer');
  const attempted_at = systemClock.now();
  const { outcome } = judge(probe, answer, { attempted_at, database: 'postgres', username: 'postgres' });
  expect(outcome).toMatchObject({ kind: 'ran' });
  if (!outcome) return;
  const writer = new MetricsWriter({ db: store.db, log: silentLog, clock: systemClock });
  const run = { connection_id: id, epoch: 1, probe: probe.name, database_name: '', attempted_at, took_ms: 1 };
  writer.add({ ...run, outcome });
  await writer.stop();
}

async function storedRows(probe: Probe, id: number) {
  if (probe.keeps === 'change-tracked')
    return (await factsOf(store.db, { connection_id: id, probe: probe.name })).map(({ value }) => value);
  const snapshots = await snapshotsOf(store.db, id);
  return snapshots.find((snapshot) => snapshot.probe === probe.name)?.rows ?? [];
}

describe.each(MAJORS)('on PostgreSQL %i', (major: Major) => {
  let server: TestServer;
  let session: Session;
  beforeAll(async () => {
    server = await sharedServer(major);
    const { signal } = new AbortController();
    const target = targetOn(server, major);
    session = await openSession({ target, database: 'postgres', connectTimeoutMs: 5000, signal });
    await learn(session, probes, systemClock.monotonic());
    await store.db.run(sql`
      insert into matriarch.connection_leases (connection_id, owner, expires_at)
      values (${major}, 'kit', now() + interval '1 hour')`);
  });
  afterAll(() => session.client.close());

  it.each(probes)('$name yields the declared columns in the declared types', async (probe: SqlProbe) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      const { fields } = await client.query(
        `select * from (${probe.sql(session.capabilities)}) as p limit 0`,
      );
      const declared = probe.columns.map(({ name, type }) => [name, OIDS.get(type)]);
      const found = fields.map(({ name, dataTypeID }) => [name, dataTypeID === 19 ? 25 : dataTypeID]);
      expect(found.sort()).toEqual(declared.sort());
    } finally {
      await client.end();
    }
  });

  it.each(probes)('$name runs, is stored and reads back', async (probe: SqlProbe) => {
    await writeRun(probe, session, major);
    const rows = await storedRows(probe, major);
    expect(rows.length).toBeGreaterThan(0);
    const names = probe.columns.map(({ name }) => name).sort();
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(names);
    const keys = keyColumns(probe).map((column) => new Set(rows.map((row) => row[column])));
    for (const values of keys.slice(0, 1)) expect(values.size).toBe(rows.length);
  });

  it('pg_settings is what the view says in an ordinary session, without ours and without secrets', async () => {
    const stored = new Map(
      (await storedRows(probeNamed('pg_settings'), major)).map((row) => [row.name, row]),
    );
    const direct = await directly(
      server,
      `select name, setting, unit, category, context, vartype, source, min_val, max_val, enumvals::text as enumvals,
         boot_val, reset_val, sourcefile, pending_restart from pg_settings`,
    );
    const ofSession = new Set([
      'application_name',
      'client_encoding',
      'is_superuser',
      'transaction_deferrable',
      'transaction_isolation',
      'transaction_read_only',
    ]);
    const expected = direct.filter(({ name }) => !ofSession.has(String(name)));
    expect([...stored.keys()].sort()).toEqual(expected.map(({ name }) => name).sort());
    for (const row of expected) expect(stored.get(row.name)).toEqual(row);
  });

  it('pg_database and pg_server_info are what the catalogs say', async () => {
    const databases = await storedRows(probeNamed('pg_database'), major);
    const direct = await directly(
      server,
      `select datname, pg_encoding_to_char(encoding) as encoding, datconnlimit, datistemplate, datallowconn,
         datcollate, (select rolname from pg_roles where oid = datdba) as owner from pg_database`,
    );
    for (const row of direct) {
      // Test files that run at the same time make and drop databases of their own.
      const found = databases.find(({ datname }) => datname === row.datname);
      if (found ?? /^(postgres|template[01])$/.test(String(row.datname))) expect(found).toMatchObject(row);
    }
    const [size] = await directly(server, `select pg_database_size('template0')::float8 as bytes`);
    expect(databases.find(({ datname }) => datname === 'template0')?.size_bytes).toBe(size?.bytes);
    const ages = databases.map(({ age_datfrozenxid }) => age_datfrozenxid);
    expect(ages.every((age) => typeof age === 'number')).toBe(true);

    const [info] = await storedRows(probeNamed('pg_server_info'), major);
    const [expected] = await directly(
      server,
      `select version() as version, split_part(current_setting('server_version'), ' ', 1) as server_version,
         current_setting('server_version_num')::int as server_version_num,
         (select system_identifier::text from pg_control_system()) as system_identifier,
         current_setting('cluster_name') as cluster_name, current_setting('data_directory') as data_directory,
         current_setting('max_connections')::int as max_connections,
         current_setting('max_wal_senders')::int as max_wal_senders,
         current_setting('max_replication_slots')::int as max_replication_slots,
         pg_is_in_recovery() as is_in_recovery`,
    );
    expect(info).toMatchObject(expected ?? {});
    expect(info?.postmaster_start_time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });
});
