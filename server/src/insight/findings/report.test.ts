// The report through HTTP, of findings that were judged and of readings that the test wrote: what is of the first look, found for the
// first time, worse, back, mended; and what happened apart from findings.
import { expect, it } from 'vitest';
import { getConnectionCoverage } from '../../estate/estate.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { historyApi, iso } from '../../testing/history-api.ts';
import { judgingCtx, large } from '../../testing/large-databases.ts';
import { collected, collectedHistory } from '../../testing/store/collected.ts';
import { evaluateFindings } from './evaluate.service.ts';
import { findingsRoutes } from './findings.routes.ts';
import type { FindingsReport } from './report.contract.ts';

type Report = Static<typeof FindingsReport>;

const { api, connection, T } = historyApi([findingsRoutes]);

async function judged(connection_id: number, sizes: Readonly<Record<string, number>>): Promise<void> {
  const rows: Row[] = Object.entries(sizes).map(([datname, database_size_bytes]) => ({
    datname,
    database_size_bytes,
  }));
  await collected(api().db, { connection_id, probe: 'pg_database', at: Date.now(), rows });
  await evaluateFindings(judgingCtx(api().db), {
    servers: [{ connection_id, cluster_id: null }],
    checks: [large],
  });
}

const added = (id: number, at: number) =>
  api().db.run(sql`/* test.added */
    update matriarch.connections set created_at = ${iso(at)}::timestamptz where id = ${id}`);

/** As if what was found so far had been found so many days before. */
async function age(id: number, days: number, databases: readonly string[]): Promise<void> {
  await api().db.run(sql`/* test.age */
    update matriarch.findings
    set opened_at = opened_at - make_interval(days => ${days}::int), first_seen_at = first_seen_at - make_interval(days => ${days}::int)
    where connection_id = ${id} and database_name = any (${databases}::text[])`);
  await api().db.run(sql`/* test.age */
    update matriarch.finding_figures g set at = g.at - make_interval(days => ${days}::int)
    from matriarch.findings f
    where f.id = g.finding_id and f.connection_id = ${id} and f.database_name = any (${databases}::text[])`);
}

async function report(query: string): Promise<Report> {
  const token = api().actors.owner.session;
  const { status, text } = await api().call(`GET /api/v1/findings/report?${query}`, { token });
  expect(status, text).toBe(200);
  return JSON.parse(text);
}

const databasesIn = (all: readonly { database_name: string | null }[]) =>
  all.map(({ database_name }) => database_name);

it('tells what was found first from what became graver, came back, and was mended and brought', async () => {
  const id = await connection();
  await added(id, Date.now() - 60 * DAY_MS);
  await judged(id, { grows: 2000, old: 2000, gone: 5000, back: 2000 });
  await age(id, 20, ['grows', 'old', 'gone', 'back']);
  await judged(id, { grows: 2000, old: 2000, gone: 5000, back: 1 });
  await judged(id, { grows: 20_000, old: 2000, gone: 100, back: 3000, shop: 2000 });
  const found = await report(`connection_id=${id}`);
  expect(found).toMatchObject({
    ...{ servers: 1, worse_total: 2, first_total: 1, first_look: [], first_look_total: 0 },
    worse: [
      { finding: { database_name: 'grows', severity: 'critical' }, before: 'warning' },
      { finding: { database_name: 'back' } },
    ],
    first: [{ database_name: 'shop' }],
    mended: [
      { finding: { database_name: 'gone' }, figure_before: 5000, figure_after: 100, is_confirmed: true },
    ],
    runs_out: [],
  });
  expect(found.markdown).toContain('became 100 bytes, as promised');
  // Each check once, the gravest first, with what to do.
  expect(found.next).toMatchObject([
    { kind: 'finding', finding_id: found.worse[0]?.finding.id, server_name: expect.any(String) },
  ]);
  expect(found.markdown).toContain('## What to do next (1)');
  expect(found.markdown).toMatch(/## What was found for the first time \(1\)\n\n- \*\*/);
});

it('says of the first day of a server what was found at the first look, and nothing that got worse', async () => {
  const id = await connection();
  const sizes = Object.fromEntries(Array.from({ length: 45 }, (_none, index) => [`d${index}`, 2000]));
  await judged(id, sizes);
  const first = await report(`connection_id=${id}`);
  expect(first).toMatchObject({ worse_total: 0, first_total: 0, first_look_total: 45, happened: [] });
  expect(first.markdown).toContain('## Inventory: found when servers were first looked at (45)');
  expect(first.markdown).not.toContain('What got slower, bigger or worse');
  // The week after, none of it is news.
  await added(id, Date.now() - 20 * DAY_MS);
  await age(id, 20, Object.keys(sizes));
  expect(await report(`connection_id=${id}`)).toMatchObject({ worse_total: 0, first_look_total: 0 });
});

it('refuses more than a year', async () => {
  const long = await api().call('GET /api/v1/findings/report?start_time=2020-01-01T00:00:00Z', {
    token: api().actors.owner.session,
  });
  expect(long).toMatchObject({ status: 400, error: 'end_time may be at most 366 days after start_time.' });
});

const IN_DATABASE = new Set(['pg_stat_all_indexes', 'pg_stat_statements']);

const minutely = (id: number, probe: string, rowsAt: (minute: number) => readonly Row[]) =>
  collectedHistory(
    api().db,
    Array.from({ length: 61 }, (_none, minute) => ({
      ...{ connection_id: id, probe, at: T + minute * MINUTE_MS, rows: rowsAt(minute) },
      ...(IN_DATABASE.has(probe) && { database_name: 'shop' }),
    })),
  );

const waiting = (minute: number): Row => ({
  ...{ pid: 7, datname: 'shop', backend_type: 'client backend', state: 'active', wait_event_type: 'Lock' },
  ...{
    backend_start: iso(T),
    query_start: iso(T + 20 * MINUTE_MS),
    xact_start: iso(T + 20 * MINUTE_MS),
    waitstart: iso(T + 20 * MINUTE_MS),
  },
  ...{ minute },
});

interface FiredAlert {
  object_name?: string;
  severity?: string;
  metric_name?: string;
}

async function alertFired(connection_id: number, at: number, given: FiredAlert = {}): Promise<void> {
  const { object_name = iso(at), severity = 'warning', metric_name = null } = given;
  await api().db.run(sql`/* test.alert */
    with a as (
      insert into matriarch.alerts (
        alert_type, raised_by, connection_id, object_name, metric_name, severity, title, description, status, triggered_at, last_updated, cleared_at
      )
      values (
        'threshold', ${`rule:deadlocks_detected${severity}`}, ${connection_id}, ${object_name}, ${metric_name}, ${severity}, 'Deadlocks happened', 'x', 'cleared',
        ${iso(at)}::timestamptz, now(), now()
      )
      returning id
    )
    insert into matriarch.alert_events (alert_id, connection_id, event_type, occurred_at, severity)
    select id, ${connection_id}, 'fired', ${iso(at)}::timestamptz, ${severity} from a`);
}

it('tells alerts of one object of a cluster once, with each severity and each server', async () => {
  const [one, two, alone] = [await connection(), await connection(), await connection()];
  await api().db.run(sql`/* test.cluster */
    with c as (insert into matriarch.clusters (name) values ('numbered') returning id)
    update matriarch.connections set membership_source = 'manual', cluster_id = (select id from c)
    where id = any (${[one, two]}::int[])`);
  const sequence = { object_name: 'public.tick_id_seq', metric_name: 'pg_sequence_usage.exhausted_percent' };
  for (const id of [one, two, alone]) {
    await added(id, T);
    for (const severity of ['critical', 'warning'])
      await alertFired(id, T + 31 * MINUTE_MS, { ...sequence, severity });
  }
  // Of another object.
  await alertFired(two, T + 40 * MINUTE_MS, {
    ...sequence,
    object_name: 'public.other_seq',
    severity: 'info',
  });
  const ids = [one, two, alone].join(',');
  const { happened, happened_total, servers } = await report(
    `connection_ids=${ids}&start_time=${iso(T)}&end_time=${iso(T + HOUR_MS)}`,
  );
  expect(servers).toBe(3);
  const told = happened.filter(({ kind }) => kind === 'alert');
  const second = (
    await api().db.one<{ name: string }>(sql`/* test.name */
    select name from matriarch.connections where id = ${two}`)
  ).name;
  expect(told).toMatchObject([
    {
      connection_id: one,
      count: 4,
      message: `Deadlocks happened: fired 4 times (2 critical, 2 warning); also on ${second}.`,
    },
    { connection_id: alone, count: 2, message: 'Deadlocks happened: fired 2 times (1 critical, 1 warning).' },
    { connection_id: two, count: 1, message: 'Deadlocks happened: fired once (info).' },
  ]);
  expect(happened_total).toBe(3);
});

const index = (name: string): Row => ({
  ...{ schemaname: 'public', relname: 'orders', indexrelname: name, relid: 1, indexrelid: name.length },
  ...{ idx_scan: 1 },
});

it('tells deadlocks, lock waits, the dropped index, the slower statement and alerts of a server that was added on that day', async () => {
  const id = await connection();
  await added(id, T);
  await minutely(id, 'pg_stat_database', (minute) => [
    { datid: 5, datname: 'shop', deadlocks: minute < 30 ? 3 : 29, stats_reset: iso(T - DAY_MS) },
  ]);
  await minutely(id, 'pg_stat_activity', (minute) => (minute > 20 && minute < 23 ? [waiting(minute)] : []));
  await minutely(id, 'pg_stat_all_indexes', (minute) => [
    index('orders_pkey'),
    ...(minute < 30 ? [index('orders_customer_idx')] : []),
  ]);
  const calls = (minute: number) => ({
    calls: 10 * minute,
    total_exec_time: minute <= 30 ? 10 * minute : 300 + (minute - 30) * 6000,
  });
  await minutely(id, 'pg_stat_statements', (minute) => [
    { userid: 1, dbid: 5, toplevel: true, queryid: '42', username: 'ada', ...calls(minute) },
  ]);
  await alertFired(id, T + 31 * MINUTE_MS);
  await alertFired(id, T + 50 * MINUTE_MS);
  await alertFired(id, T + 2 * HOUR_MS);
  const window = `start_time=${iso(T - 6 * DAY_MS)}&end_time=${iso(T + HOUR_MS)}`;
  const found = await report(`connection_id=${id}&${window}`);
  expect(found.happened).toMatchObject([
    { kind: 'deadlocks', database_name: 'shop', count: 26, message: expect.stringMatching(/^26 deadlocks/) },
    { kind: 'lock_wait', message: expect.stringContaining('for 2 min') },
    { kind: 'index_dropped', count: 1, message: expect.stringContaining('orders_customer_idx was dropped') },
    { kind: 'alert', count: 2, message: 'Deadlocks happened: fired 2 times (warning).' },
  ]);
  expect(found.declined).toMatchObject([
    {
      kind: 'slower_statement',
      database_name: 'shop',
      message: expect.stringContaining('600 ms a call, 1 ms before'),
    },
  ]);
  expect(found).toMatchObject({ happened_total: 4, declined_total: 1, not_told: [] });
  expect(databasesIn(found.happened)).toEqual(['shop', null, null, null]);
  expect(found.markdown).toContain('## What happened (4)');
  expect(found.markdown).toContain('## What got slower, bigger or worse (1)');
  expect(found.next).toMatchObject([
    { kind: 'slower_statement', connection_id: id, message: expect.stringContaining('600 ms a call') },
  ]);
});

it('says what is not listed of many servers at once', async () => {
  for (let made = 0; made < 21; made += 1) await connection();
  await api().db.run(sql`/* test.monitored */ update matriarch.connections set is_monitored = true`);
  const { not_told, markdown } = await report('');
  expect([...new Set(not_told.map(({ kind }) => kind))]).toEqual([
    'deadlocks',
    'lock_wait',
    'index_dropped',
    'slower_statement',
  ]);
  expect(markdown).toMatch(/Dropped index: Drops are listed for at most /);
});

it('tells failovers, restarts and how much databases grew', async () => {
  const id = await connection();
  await added(id, T - 20 * DAY_MS);
  const gigabytes = (count: number) => count * 1024 ** 3;
  await minutely(id, 'pg_database', (minute) => [
    { datname: 'shop', database_size_bytes: gigabytes(2) + (minute * gigabytes(1)) / 60 },
    { datname: 'crm', database_size_bytes: gigabytes(5) },
  ]);
  const look = (minute: number, is_in_recovery: boolean, started: number) => ({
    ...{ connection_id: id, probe: 'pg_server_info', at: T + minute * MINUTE_MS, history_by: [] },
    rows: [{ is_in_recovery, server_version: '18.4', postmaster_start_time: iso(started) }],
  });
  await collected(api().db, look(1, true, T - DAY_MS));
  await collected(api().db, look(20, false, T - DAY_MS));
  await collected(api().db, look(40, false, T + 39 * MINUTE_MS));
  const found = await report(`connection_id=${id}&start_time=${iso(T)}&end_time=${iso(T + HOUR_MS)}`);
  expect(found.happened.filter(({ kind }) => kind !== 'deadlocks')).toMatchObject([
    { kind: 'role_change', message: expect.stringMatching(/primary.*\(seen /) },
    { kind: 'restart', message: expect.stringMatching(/was started at/) },
  ]);
  const [grown, ...others] = found.declined;
  expect(others).toEqual([]);
  expect(grown).toMatchObject({ kind: 'growth', database_name: 'shop' });
  expect(grown?.message).toMatch(/^The database grew by \d+ MB, from 2\.\d+ GB to 3 GB\.$/);
});

const idle: Row = {
  pid: 8,
  datname: 'shop',
  backend_type: 'client backend',
  state: 'idle',
  backend_start: iso(T),
};

it('says of which servers deadlocks and lock waits were not measured, and of none where they were and there was nothing', async () => {
  const [calm, blind] = [await connection(), await connection()];
  for (const id of [calm, blind]) await added(id, T);
  await minutely(calm, 'pg_stat_database', () => [
    { datid: 5, datname: 'shop', deadlocks: 3, stats_reset: iso(T - DAY_MS) },
  ]);
  await minutely(calm, 'pg_stat_activity', () => [idle]);
  const window = `start_time=${iso(T)}&end_time=${iso(T + HOUR_MS)}`;
  const of = (id: number) => report(`connection_id=${id}&${window}`);
  expect(await of(blind)).toMatchObject({ not_told: [] });
  await api().db.run(sql`/* test.monitored */
    update matriarch.connections set is_monitored = true where id = any (${[calm, blind]}::integer[])`);
  expect(await of(calm)).toMatchObject({ happened: [], not_told: [] });
  const unknown = await of(blind);
  expect(unknown.not_told).toMatchObject([
    {
      kind: 'deadlocks',
      reason: expect.stringMatching(/^Not measured on .+: pg_stat_database was not read/),
    },
    {
      kind: 'lock_wait',
      reason: expect.stringMatching(/^Not measured on .+: pg_stat_activity was not read/),
    },
  ]);
  expect(unknown.markdown).toMatch(/Deadlocks: Not measured on /);
});

it('names no setting as the reason that only other figures of the same probe need', async () => {
  const id = await connection();
  await added(id, T);
  await api().db.run(sql`/* test.monitored */
    update matriarch.connections set is_monitored = true where id = ${id}`);
  await collected(api().db, {
    ...{ connection_id: id, at: Date.now(), probe: 'pg_stat_database' },
    rows: [{ datid: 5, datname: 'shop', deadlocks: 3, stats_reset: iso(T - DAY_MS) }],
    hidden: {
      cause: 'incomplete',
      note: 'track_io_timing is off, so times of reads and writes stay zero.',
      mend: 'alter system set track_io_timing = on;',
    },
  });
  const coverage = await getConnectionCoverage(judgingCtx(api().db), id);
  expect(coverage.probes.find(({ probe }) => probe === 'pg_stat_database')).toMatchObject({
    status: 'incomplete',
    reason: expect.stringContaining('track_io_timing'),
  });
  const { not_told } = await report(`connection_id=${id}&start_time=${iso(T)}&end_time=${iso(T + HOUR_MS)}`);
  const told = not_told.find(({ kind }) => kind === 'deadlocks');
  expect(told?.reason).toMatch(/: pg_stat_database was not read in this time\.$/);
});

it('answers at both ends of the calendar', async () => {
  const id = await connection();
  const token = api().actors.owner.session;
  const of = (end: string) =>
    api().call(`GET /api/v1/findings/report?connection_id=${id}&end_time=${end}`, { token });
  const early = await of('0001-01-05T00:00:00Z');
  expect([early.status, early.error]).toEqual([400, expect.stringContaining('begins before the year 1')]);
  expect((await of('0001-01-09T00:00:00Z')).status).toBe(200);
  expect((await of('9999-12-31T23:59:59.999Z')).status).toBe(200);
});
