// A datastore as an older version left it, filled by a real collector: after the upgrade every read of the API answers, findings are judged
// and the collector goes on. Doctor and store verify name what a schema lacks.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from './api/operations.gen.ts';
import { schemaProblems } from './cli/schema-problems.ts';
import { migrate } from './datastore/migrate.ts';
import { systemPrincipal } from './identity/audit/audit.service.ts';
import { evaluateFindings } from './insight/findings/evaluate.service.ts';
import { systemClock } from './kernel/clock.ts';
import type { Operation } from './kernel/contract.ts';
import type { Db } from './kernel/db.ts';
import { silentLog } from './kernel/log.ts';
import { identifier, sql } from './kernel/sql.ts';
import { probes } from './probes/catalog.gen.ts';
import { compactNow } from './store/compact/job.ts';
import { layoutOf } from './store/layout/table-layout.ts';
import { fitStore } from './store/upkeep/fit.ts';
import { type Collecting, collecting } from './testing/collecting.ts';
import { pollMoved } from './testing/collecting-tests.ts';
import { startWholeApi, type WholeApi } from './testing/rooms/whole.ts';
import { datastoreServer, testDirectory } from './testing/servers/postgres.ts';

/** A version before the newest migrations. */
const OLD = 43;
const UNDO = [
  'drop table matriarch.log_sums, matriarch.log_sums_state',
  'drop table matriarch.log_searches, matriarch.log_name_counts',
  'drop index metrics.pg_stat_all_tables__ticks_whole',
  'alter table matriarch.sessions drop column last_used_at',
  'alter table matriarch.user_identities drop column id',
  'alter table matriarch.connections drop column tags',
  'drop table matriarch.passkeys',
  'alter table matriarch.alerts drop column detail',
  'drop view matriarch.inherited_grants',
  'drop table matriarch.access_members, matriarch.group_scopes',
  'alter table matriarch.groups drop column requires_second_factor',
  'drop table matriarch.recovery_codes, matriarch.second_factors',
  'drop table matriarch.query_plans, matriarch.plan_counters, matriarch.plan_regressions',
  'drop table matriarch.object_readings',
  'drop table matriarch.part_states',
  'drop index metrics.objects_first_of_database_idx',
  'alter table matriarch.probe_costs drop column statement_entries, drop column statement_entries_limit',
  'drop table matriarch.notification_holds, matriarch.user_identities, matriarch.used_once',
  'alter table matriarch.sessions drop column issuer, drop column subject, drop column provider_session, drop column sealed_id_token',
  'alter table metrics.facts drop column opened_by_switch, drop column closed_by_switch',
  'drop table matriarch.log_sources, matriarch.log_files, matriarch.log_gaps, matriarch.log_counts, matriarch.log_events, matriarch.log_blocks, matriarch.log_batches',
  'drop function matriarch.log_words, matriarch.add_log_sums',
  'drop table matriarch.password_source_readings',
  'alter table matriarch.connections drop column password_source, drop column statements_watched_at, drop column logs_watched_at',
];

let test: WholeApi;
let house: Collecting;
let connection: number;
beforeAll(async () => {
  const directory = testDirectory('key');
  test = await startWholeApi({ directory });
  house = await collecting(test.database.url, join(directory, 'secret.key'));
  connection = await house.connect(datastoreServer());
});
afterAll(async () => {
  await house.stop();
  await test.close();
});

/** Runs a collector until it has read everything that it reads every minute, and stops it. */
async function collect(): Promise<void> {
  const runs = async () => (await house.snapshots(connection)).filter(({ outcome }) => outcome === 'ran');
  const before = new Map((await runs()).map(({ probe, collected_at }) => [probe, collected_at]));
  const collector = house.start();
  const newer = async () =>
    (await runs()).filter(({ probe, collected_at }) => collected_at !== before.get(probe)).length;
  await pollMoved(house, newer).toBeGreaterThan(20);
  await collector.stop();
}

const run = (db: Db, text: string) => db.run({ text: `/* test.old */ ${text}`, values: [] });

/** Takes from the tables what a newer version has added: a column each, one table, and what the last migrations made. */
async function makeOld(db: Db): Promise<void> {
  for (const probe of probes) {
    const layout = layoutOf(probe);
    const last = layout?.values.at(-1);
    if (!layout || !last) continue;
    if (layout.keeps === 'objects') await run(db, `drop view if exists metrics.${layout.probe} cascade`);
    const tables = await db.rows<{ name: string; column: string }>(sql`/* test.columns */
      select c.relname as name, a.attname as column
      from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'metrics'::regnamespace and not c.relispartition and c.relkind in ('p', 'r')
        and (c.relname = ${layout.table.name} or c.relname like ${`${layout.probe}\\_\\_%`})
        and not a.attisdropped and (a.attname = ${last.name} or a.attname like ${`${last.name}\\_\\_%`})`);
    for (const { name, column } of tables)
      await db.run(
        sql`/* test.old */ alter table metrics.${identifier(name)} drop column ${identifier(column)}`,
      );
  }
  for (const text of UNDO) await run(db, text);
  await db.run(sql`/* test.old */ delete from matriarch.migrations where version > ${OLD}`);
}

const stamp = (at: number) => encodeURIComponent(new Date(at).toISOString());

function pathOf({ path, paramsExample: example = {} }: Operation): string {
  const of = (name: string) => {
    const isConnection =
      /^(?:connection_?id|scopeId)$/i.test(name) || path.startsWith('/api/v1/connections/{id}');
    return encodeURIComponent(String(isConnection ? connection : (example[name] ?? 1)));
  };
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => of(name));
}

function queryOf({ query, paramsExample: example = {} }: Operation): string {
  const now = systemClock.now();
  const known: Record<string, string> = {
    ...Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, encodeURIComponent(String(value))]),
    ),
    connection_id: String(connection),
    start_time: stamp(now - 3_600_000),
    end_time: stamp(now),
  };
  const names = Object.keys(Object(query).properties ?? {});
  return names.flatMap((name) => (known[name] === undefined ? [] : [`${name}=${known[name]}`])).join('&');
}

/** Every read that ends by itself, and the metrics of every probe. */
function reads(): string[] {
  const all = operations.filter(({ method, success }) => method === 'GET' && !success.stream);
  const metrics = probes.map(
    ({ name }) => `/api/v1/metrics/query?connection_id=${connection}&probe_name=${name}&time_range=1h`,
  );
  const latest = probes.map(
    ({ name }) => `/api/v1/metrics/latest?connection_id=${connection}&probe_name=${name}`,
  );
  return [...all.map((one) => `${pathOf(one)}?${queryOf(one)}`), ...metrics, ...latest];
}

async function failing(): Promise<string[]> {
  const token = test.actors.superuser.session;
  const failed: string[] = [];
  for (const path of reads()) {
    const { status, text } = await test.call(`GET ${path}`, { token });
    if (status >= 500 && !(path.includes('/databases') && status === 502))
      failed.push(`${status} ${path} ${text}`);
  }
  return failed;
}

const judged = () =>
  evaluateFindings(
    {
      ...{ db: test.db, clock: systemClock, log: silentLog, signal: new AbortController().signal },
      principal: systemPrincipal('server'),
    },
    { servers: [{ connection_id: connection, cluster_id: null }] },
  );

const wholeIndexes = () =>
  test.db.rows<{ name: string }>(sql`/* test.indexes */
    select c.relname as name
    from pg_catalog.pg_class c
    where c.relnamespace = 'metrics'::regnamespace and c.relkind = 'I' and c.relname like '%\\_whole'
    order by c.relname`);

it('is as new after the upgrade, for every reader', async () => {
  const { db, database } = test;
  await collect();
  await compactNow({ db: database.db, probes });
  expect(await schemaProblems(db)).toEqual([]);
  expect(await failing()).toEqual([]);
  const families = probes.filter((probe) => layoutOf(probe)?.keeps === 'objects');
  const indexes = await wholeIndexes();
  expect(indexes).toHaveLength(families.length);

  await makeOld(db);
  expect(await wholeIndexes()).toHaveLength(families.length - 1);
  const lacks = await schemaProblems(db);
  expect(lacks).toEqual(
    expect.arrayContaining([
      'The table matriarch.part_states is missing.',
      'The column matriarch.probe_costs.statement_entries integer is missing.',
      'The index objects_first_of_database_idx is missing.',
    ]),
  );
  expect(lacks.filter((line) => /^metrics\.\w+ lacks the columns? /.test(line)).length).toBeGreaterThan(30);

  expect((await migrate(database.url, silentLog)).length).toBeGreaterThan(3);
  expect(await wholeIndexes()).toEqual(indexes);
  await fitStore(database.db, { probes, log: silentLog });
  expect(await schemaProblems(db)).toEqual([]);
  expect(await failing()).toEqual([]);
  await expect(judged()).resolves.toMatchObject({ written: expect.any(Number) });
  await collect();
  expect(await failing()).toEqual([]);
}, 300_000);
