// The contract of every probe: on each supported version it yields exactly what it declares, and what is stored is
// what the server itself says at that moment. More of what the values mean: server-probes.kit.test.ts and
// probe-databases.kit.test.ts; probes of the server's machine: probe-host.kit.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { identifier, join, sql } from '../kernel/sql.ts';
import { UNWATCHED } from '../probes/most-important.ts';
import { keyColumns, type Probe, type SqlProbe } from '../probes/types.ts';
import { storedName } from '../store/layout/table-layout.ts';
import type { Outcome, Row } from '../store/layout/types.ts';
import { type ProbedDatabase, probedDatabase } from '../testing/servers/database-probes.ts';
import { type Major, sharedServer, type TestServer } from '../testing/servers/postgres.ts';
import { catalog, directly, ofOwn, probeNamed } from '../testing/servers/probing.ts';
import { factsOf, snapshotsOf } from '../testing/store/reads.ts';
import { type Storing, storing } from '../testing/store/storing.ts';
import { majorsOfKits } from '../testing/tier.ts';

const OIDS = new Map([
  ['text', 25],
  ['integer', 23],
  ['bigint', 20],
  ['double precision', 701],
  ['boolean', 16],
  ['timestamp with time zone', 1184],
  ['text[]', 1009],
  ['jsonb', 3802],
]);
const AS_TEXT = new Map([
  [19, 25],
  [1003, 1009],
]);

/** Without a load there is nothing to tell of these. */
const IDLE = [
  'pg_active_sessions',
  'pg_db_role_setting',
  'pg_ident_file_mappings',
  'pg_locks_tree',
  'pg_public_privileges',
  'pg_replication_slots',
  'pg_stat_progress',
  'pg_stat_recovery',
  'pg_stat_replication',
  'pg_stat_subscription',
];
const mayBeEmpty = ({ name, level, keeps }: Probe) =>
  IDLE.includes(name) || (level === 'D' && keeps !== 'change-tracked');

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

/** The rows that are kept as they were sent: not those of families of objects, of which only changes are. */
async function storedRows(probe: Probe, id: number): Promise<readonly Row[] | null> {
  if (probe.keeps === 'change-tracked')
    return (await factsOf(store.db, { connection_id: id, probe: probe.name })).map(({ value }) => value);
  const snapshots = await snapshotsOf(store.db, id);
  return snapshots.find((snapshot) => snapshot.probe === probe.name)?.rows ?? null;
}

/** The same from the table of samples, under the declared names, with all digits of moments. */
function sampledRows(probe: Probe, id: number): Promise<Row[]> {
  const columns = probe.columns.map(({ name, type }) => {
    const column = identifier(storedName(name));
    const value =
      type === 'timestamp with time zone'
        ? sql`replace((${column} at time zone 'UTC')::text, ' ', 'T') || 'Z'`
        : column;
    return sql`${value} as ${identifier(name)}`;
  });
  return store.db.rows<Row>(sql`
    select ${join(columns, sql`, `)}
    from metrics.${identifier(probe.name)}
    where connection_id = ${id}
    order by row_no`);
}

/** What it reads cannot be there. */
function isMissing({ requires }: Probe, major: Major): boolean {
  const { version_num = 0, relation } = requires ?? {};
  return version_num > major * 10_000 || /^@(?:spock|pg_store_plans|pg_stat_plans)\./.test(relation ?? '');
}

function storedOf(probe: SqlProbe, outcome: Outcome<Row>, database: string): Outcome<Row> {
  return outcome.kind === 'ran' ? { ...outcome, rows: [...ofOwn(probe, outcome.rows, database)] } : outcome;
}

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let server: TestServer;
  let database: ProbedDatabase;
  let id: number;
  const outcomes = new Map<string, Outcome<Row>>();
  beforeAll(async () => {
    server = await sharedServer(major);
    database = await probedDatabase(server, ['create extension pg_stat_statements']);
    id = await store.leased();
    for (const probe of catalog)
      outcomes.set(probe.name, storedOf(probe, await database.outcome(probe.name), database.name));
    const writer = store.writer({ probes: catalog });
    for (const probe of catalog) {
      const outcome = outcomes.get(probe.name);
      const database_name = probe.level === 'D' ? database.name : '';
      const at = { attempted_at: systemClock.now(), took_ms: 1 };
      if (outcome)
        writer.add({ connection_id: id, epoch: 1, probe: probe.name, database_name, outcome, ...at });
    }
    // Stopping alone gives up after a while, however busy the machine is.
    await writer.flush();
    await writer.stop();
    expect(writer.stats.waiting_runs).toBe(0);
  });
  afterAll(() => database.close());

  it.each(catalog)('$name yields the declared columns in the declared types', async (probe: SqlProbe) => {
    const outcome = outcomes.get(probe.name);
    if (isMissing(probe, major)) {
      expect(outcome).toMatchObject({ kind: 'skipped', reason: expect.stringMatching(/./) });
      return;
    }
    expect(outcome?.kind).toBe('ran');
    const client = await database.client();
    const { fields } = await client.query(
      `select * from (${probe.sql(database.session.capabilities)}) as p limit 0`,
    );
    const declared = probe.columns.map(({ name, type }) => [name, OIDS.get(type)]);
    const found = fields
      .filter(({ name }) => name !== UNWATCHED)
      .map(({ name, dataTypeID }) => [name, AS_TEXT.get(dataTypeID) ?? dataTypeID]);
    expect(found.sort()).toEqual(declared.sort());
    await client.end();
  });

  it.each(catalog)('$name runs, is stored and reads back', async (probe: SqlProbe) => {
    const outcome = outcomes.get(probe.name);
    if (isMissing(probe, major)) {
      expect(outcome).toMatchObject({ kind: 'skipped' });
      return;
    }
    if (outcome?.kind !== 'ran') throw new Error(`${probe.name}: ${outcome?.reason}`);
    const { rows } = outcome;
    if (!mayBeEmpty(probe)) expect(rows.length).toBeGreaterThan(0);
    const names = probe.columns.map(({ name }) => name).sort();
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(names);
    const keys = rows.map((row) => JSON.stringify(keyColumns(probe).map((column) => row[column])));
    expect(new Set(keys).size).toBe(rows.length);
    const stored = await storedRows(probe, id);
    if (probe.keeps === 'objects') expect(stored).toBeNull();
    else if (probe.keeps === 'change-tracked') expect(stored).toHaveLength(rows.length);
    else expect(stored).toEqual(rows);
    if (probe.keeps === 'samples') expect(await sampledRows(probe, id)).toEqual(rows);
  });

  it('pg_settings is what the view says in an ordinary session, without ours and without secrets', async () => {
    const stored = new Map(
      ((await storedRows(probeNamed('pg_settings'), id)) ?? []).map((row) => [row.name, row]),
    );
    const direct = await directly(
      server,
      `select name, setting, unit, category, short_desc, extra_desc, context, vartype, source, min_val, max_val,
         enumvals::text as enumvals, boot_val, reset_val, sourcefile, sourceline, pending_restart from pg_settings`,
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
    const databases = (await storedRows(probeNamed('pg_database'), id)) ?? [];
    const direct = await directly(
      server,
      `select datname, pg_encoding_to_char(encoding) as encoding, datconnlimit, datistemplate, datallowconn,
         datcollate, (select rolname from pg_roles where oid = datdba) as datdba,
         (select spcname from pg_tablespace where oid = dattablespace) as dattablespace from pg_database`,
    );
    // Test files that run at the same time make, change and drop databases of their own.
    const ours = ['postgres', 'template0', 'template1', database.name];
    const expectedRows = direct.filter(({ datname }) => ours.includes(String(datname)));
    expect(expectedRows).toHaveLength(ours.length);
    for (const row of expectedRows)
      expect(databases.find(({ datname }) => datname === row.datname)).toMatchObject(row);
    const [size] = await directly(server, `select pg_database_size('template0')::float8 as bytes`);
    expect(databases.find(({ datname }) => datname === 'template0')?.database_size_bytes).toBe(size?.bytes);
    const ages = databases.map(({ age_datfrozenxid }) => age_datfrozenxid);
    expect(ages.every((age) => typeof age === 'number')).toBe(true);

    const [info] = (await storedRows(probeNamed('pg_server_info'), id)) ?? [];
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
