// What grew in the last hour, added up in the datastore: parts of the hour, gaps, and a day before
// that is read only of objects that have a share worth speaking of.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { type Metric, metricOf } from '../../probes/metrics.ts';
import { probe } from '../../probes/pg-stat-statements.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { newestMetrics } from './newest-metrics.ts';

let store: Storing;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from date_trunc('minute', now())) * 1000)::bigint as now`,
  ));
});
afterAll(() => store.close());

function metricIn(name: string): Metric {
  const found = metricOf(probe, name);
  if (!found) throw new Error(`there is no metric ${name}`);
  return found;
}
const metrics = [metricIn('slow_query_count'), metricIn('slowdown')];

/** By the minutes before now, calls and milliseconds of each statement as its counters stood. */
type Counters = [minutes: number, ...statements: [calls: number, ms: number][]][];

const write = (connection_id: number, database_name: string, counters: Counters) =>
  collectedHistory(
    store.db,
    counters.map(([minutes, ...statements]) => ({
      ...{ connection_id, probe: probe.name, database_name, at: now - minutes * MINUTE_MS },
      rows: statements.map(([calls, total_exec_time], n) => {
        const queryid = String(n + 1);
        return { userid: 1, dbid: 2, toplevel: true, queryid, calls, total_exec_time };
      }),
    })),
  );

async function read(...connection_ids: number[]) {
  const db = countedDb(store.db);
  const [counts = [], slower = []] = await newestMetrics(db, { probe, metrics, connection_ids, now });
  return { counts, slower, statements: db.sent.length };
}

it('before there are any tables nothing grew', async () => {
  const id = await store.leased();
  expect(await read(id)).toMatchObject({ counts: [], slower: [] });
});

it('an increase counts with its part of the hour, and one over a gap does not count', async () => {
  const id = await store.leased();
  await write(id, 'shop', [
    [65, [0, 0], [0, 0], [0, 0]],
    // Half of it lies in the hour: 2 s a call, and 15 s of five calls.
    [55, [10, 20_000], [10, 30_000], [0, 0]],
    [50, [10, 20_000], [21, 30_000], [0, 0]],
    [25, [10, 20_000], [21, 30_000], [1, 5000]],
  ]);
  await write(id, 'calm', [
    [10, [5, 5]],
    [5, [5, 5]],
  ]);
  const at = (minutes: number) => new Date(now - minutes * MINUTE_MS).toISOString();
  const count = (database_name: string, minutes: number, value: number) => ({
    ...{ connection_id: id, database_name, object: {} },
    ...{ at: at(minutes), value },
  });
  const asked = async () =>
    (await read(id)).counts.sort((a, b) => (a.database_name < b.database_name ? -1 : 1));
  expect(await asked()).toEqual([count('calm', 5, 0), count('shop', 50, 1)]);
});

it('the day before is read of statements with a share worth speaking of, and of no others', async () => {
  const [even, slow] = [await store.leased(), await store.leased()];
  const day = 20 * 60;
  const many = (calls: number, ms: number) => Array.from({ length: 30 }, (): [number, number] => [calls, ms]);
  const before: Counters = [
    [day, ...many(0, 0)],
    [day - 5, ...many(100, 1000)],
    [10, ...many(100, 1000)],
  ];
  await write(even, 'shop', [...before, [5, ...many(200, 3000)]]);
  await write(slow, 'shop', [...before, [5, [200, 4000], [140, 4000], ...many(101, 1010).slice(2)]]);
  const one = await read(even);
  expect(one).toMatchObject({ slower: [], statements: 2 });
  const { slower } = await read(even, slow);
  // The second one ran too seldom.
  expect(
    slower.map(({ connection_id, object, value, says }) => [connection_id, object.queryid, value, says]),
  ).toEqual([[slow, '1', expect.closeTo(3, 6), '30 ms in the last hour, 10 ms in the day before']]);
});

it('an interval that was changed decides from when it changed, and of what reaches across as the longer one does', async () => {
  const [usual, slower, faster] = [await store.leased(), await store.leased(), await store.leased()];
  await store.db.run(sql`
    insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
    values (${probe.name}, ${probe.intervalSeconds}, ${probe.retentionDays})
    on conflict do nothing`);
  const changed = (id: number, minutes: number, seconds: number) =>
    store.db.run(sql`
      insert into matriarch.interval_changes (connection_id, probe, since, interval_seconds)
      values (${id}, ${probe.name}, ${new Date(now - minutes * MINUTE_MS).toISOString()}::timestamptz, ${seconds})`);
  // By the interval of 20 minutes, 20 minutes are no gap; by the declared one they are.
  const rare: Counters = [
    [35, [0, 0], [0, 0]],
    [30, [10, 20_000], [0, 0]],
    [10, [10, 20_000], [10, 20_000]],
  ];
  await changed(slower, 30, 1200);
  for (const id of [usual, slower]) await write(id, 'shop', rare);
  // Every hour until an hour ago; what grew until then came in after that.
  await changed(faster, 20 * 60, 3600);
  await changed(faster, 61, 300);
  await write(faster, 'shop', [
    [110, [0, 0], [0, 0]],
    [55, [10, 20_000], [0, 0]],
    [50, [10, 20_000], [0, 0]],
  ]);
  const ids = [usual, slower, faster];
  const { counts } = await read(...ids);
  expect(new Map(counts.map(({ connection_id, value }) => [connection_id, value]))).toEqual(
    new Map([
      [usual, 1],
      [slower, 2],
      [faster, 1],
    ]),
  );
  // As the reader of single statements has it.
  const [calls = []] = await newestMetrics(store.db, {
    ...{ probe, connection_ids: ids, now },
    metrics: [metricIn('calls')],
  });
  const grew = calls.filter(({ value }) => (value ?? 0) > 0);
  expect(ids.map((id) => grew.filter(({ connection_id }) => connection_id === id).length)).toEqual([1, 2, 1]);
});

it('a tick that took no time, as those of a restart were stored once, is left out and costs nothing else', async () => {
  const id = await store.leased();
  await write(id, 'shop', [
    [20, [0, 0]],
    [10, [5, 15_000]],
  ]);
  await store.db.run(sql`
    insert into metrics."pg_stat_statements__ticks" (
      connection_id, keyframe, whole, collected_at, since, database_name, object_ids
    )
    select t.connection_id, false, false, t.collected_at + interval '1 minute', t.collected_at + interval '1 minute', t.database_name, '{}'
    from metrics."pg_stat_statements__ticks" t
    where t.connection_id = ${id} and not t.keyframe`);
  expect((await read(id)).counts).toMatchObject([{ value: 1 }]);
});
