// Stored data of many monitored servers, as the collector leaves it: five databases with four extensions each, all
// settings, host facts, connectivity.
import type { Db } from '../kernel/db.ts';
import { type Sql, sql } from '../kernel/sql.ts';

const DATABASES = 5;

const HOST_ROWS: readonly object[] = Object.entries({
  os_name: 'Debian GNU/Linux',
  os_version: '12 (bookworm)',
  architecture: 'x86_64',
  hostname: 'db1.example.com',
  cpu_model: 'AMD EPYC 7B13 64-Core Processor',
  cpu_cores: 8,
  cpu_logical: 16,
  cpu_clock_speed: 2_450_000_000,
  memory_total_bytes: 33_554_432_000,
  memory_used_bytes: 12_884_901_888,
  memory_free_bytes: 4_294_967_296,
  node_memory_total_bytes: 33_554_432_000,
  swap_total_bytes: 0,
  swap_used_bytes: 0,
  disks: ['/', '/var/lib/postgresql', '/backup'].map((mount_point) => ({
    mount_point,
    filesystem_type: 'ext4',
    total_bytes: 107_374_182_400,
    used_bytes: 53_687_091_200,
    free_bytes: 53_687_091_200,
  })),
}).map(([field, value]) => ({
  kind: 'value',
  field,
  value,
  source: 'local',
  observed_at: '2026-11-20T10:00:00.000Z',
}));

const SERVER = {
  server_version: '18.4',
  server_version_num: 180004,
  system_identifier: '7563221234567890123',
  cluster_name: 'main',
  data_directory: '/var/lib/postgresql/18/main',
  max_connections: 100,
  max_wal_senders: 10,
  max_replication_slots: 10,
  is_in_recovery: false,
  postmaster_start_time: '2026-01-01T00:00:00.000000Z',
};

const databaseRows = Array.from({ length: DATABASES }, (_, index) => ({
  datname: `database_${index + 1}`,
  oid: 16_384 + index,
  owner: 'postgres',
  encoding: 'UTF8',
  datlocprovider: 'libc',
  datcollate: 'en_US.UTF-8',
  datctype: 'en_US.UTF-8',
  datlocale: null,
  datcollversion: '2.36',
  datistemplate: false,
  datallowconn: true,
  datconnlimit: -1,
  dattablespace: 'pg_default',
  age_datfrozenxid: 1234567,
  age_datminmxid: 12,
  database_size_bytes: 7_600_000_000 + index,
}));

const snapshot = (count: number, probe: string, rows: unknown): Sql => sql`/* bench.snapshot */
  insert into metrics.current_snapshots
    (connection_id, probe, collected_at, attempted_at, took_ms, outcome, rows, row_count)
  select n, ${probe}, now(), now(), 1, 'ran', ${rows === null ? null : JSON.stringify(rows)}::jsonb, 1
  from generate_series(1, ${count}::int) n`;

/** Connections 1 to `count`, all owned by `ownerId`. */
export async function storeServers(
  db: Db,
  { count, ownerId }: { count: number; ownerId: number },
): Promise<void> {
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections
      (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, ${ownerId}, 'server-' || n, 'db' || n || '.example.com', 5432, 'postgres', 'matriarch', true
    from generate_series(1, ${count}::int) n`);
  await db.run(snapshot(count, 'pg_connectivity', [{ response_time_ms: 0.4 }]));
  await db.run(snapshot(count, 'host', HOST_ROWS));
  await db.run(snapshot(count, 'pg_database', databaseRows));
  await db.run(snapshot(count, 'pg_server_info', null));
  await db.run(snapshot(count, 'pg_settings', null));
  await db.run(sql`/* bench.extensions */
    insert into metrics.current_snapshots
      (connection_id, probe, database_name, collected_at, attempted_at, took_ms, outcome, row_count)
    select n, 'pg_extension', 'database_' || d, now(), now(), 1, 'ran', 4
    from generate_series(1, ${count}::int) n
    cross join generate_series(1, ${DATABASES}::int) d`);
  await db.run(sql`/* bench.facts */
    insert into metrics.facts (connection_id, probe, database_name, item_key, valid_from, value)
    select n, 'pg_server_info', '', '', now(), jsonb_build_object('version', version()) || ${JSON.stringify(SERVER)}::jsonb
    from generate_series(1, ${count}::int) n
    union all
    select n, 'pg_settings', '', g.name, now(), to_jsonb(g) - 'short_desc' - 'extra_desc'
    from generate_series(1, ${count}::int) n
    cross join pg_settings g
    union all
    select n, 'pg_extension', 'database_' || d, e, now(),
      jsonb_build_object('extname', e, 'extversion', '1.0', 'extrelocatable', false, 'schema_name', 'public')
    from generate_series(1, ${count}::int) n
    cross join generate_series(1, ${DATABASES}::int) d
    cross join unnest(array['plpgsql', 'pg_stat_statements', 'pgcrypto', 'postgis']) e`);
  await db.run(sql`/* bench.vacuum */ vacuum (analyze)`);
}
