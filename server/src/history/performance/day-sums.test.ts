// Whoever ranks over whole days reads sums of packed days: they are what is read, days that were packed without them are
// read span by span, and so is a day of which rows came late.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { identifier, sql } from '../../kernel/sql.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { dayParts, daySums } from '../../store/format/days.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import { RELATIONS } from '../../testing/store/read-histories.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { totals } from './totals.ts';

const [MINUTE, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const layouts = [layoutOf(RELATIONS)].flatMap((layout) => layout ?? []);
const ROLLED = sql`metrics.${identifier('test_relations__h1')}`;
const PACKED = sql`metrics.${identifier('test_relations__h1p')}`;
/** What each object writes in a minute. */
const OBJECTS = [3, 5, 0];
const RUNS = 91;

let store: Storing;
let day: number;
let now: number;
let id: number;

/** Runs of a server from six o'clock on, packed; `isThere`: of these minutes alone. */
async function collect(connection_id: number, runs: number, isThere = (_run: number) => true): Promise<void> {
  const writer = store.writer({ probes: [RELATIONS] });
  for (let run = 0; run < runs; run += 1) {
    if (!isThere(run)) continue;
    const rows = OBJECTS.map((writes, relid) => ({ relid, owner: 'bob', writes: writes * run, size: 1 }));
    const at = day + 6 * HOUR_MS + run * MINUTE;
    writer.add(keptRun(RELATIONS, { connection_id, at, rows, database_name: 'shop', server_instance: 'a' }));
  }
  await writer.stop();
  expect((await runCompaction({ db: store.db, layouts, now })).problems).toEqual([]);
}

beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
  day = Math.floor(now / DAY_MS) * DAY_MS - 2 * DAY_MS;
  await store.db.run(sql`
    insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
    values (${RELATIONS.name}, 60, 7)`);
  id = await store.leased();
  await collect(id, RUNS);
});
afterAll(() => store.close());

async function written(from = day, to = day + DAY_MS, server = id): Promise<(number | undefined)[]> {
  const query = { probe: RELATIONS, columns: ['writes'], connection_ids: [server], group_by: ['relid'] };
  const found = await totals(store.db, { ...query, from, to });
  return OBJECTS.map((_writes, relid) =>
    found.find(({ group }) => Number(group.relid) === relid)?.grown.get('writes'),
  );
}

const inAll = OBJECTS.map((writes) => (writes === 0 ? undefined : writes * (RUNS - 1)));

/** Puts other bytes in the place of a packed column. */
async function replace(name: string, data: Buffer): Promise<void> {
  const changed = await store.db.run(sql`
    update ${PACKED} t
    set columns[array_position(l.names, ${name}::text)] = ${data}::bytea
    from matriarch.packed_layouts l
    where l.layout_id = t.layout_id`);
  expect(changed).toBe(1);
}
const columnOf = async (name: string) =>
  (
    await store.db.one<{ data: Buffer }>(sql`
      select t.columns[array_position(l.names, ${name}::text)] as data
      from ${PACKED} t
      join matriarch.packed_layouts l using (layout_id)`)
  ).data;

it('sums are read of a whole day, and spans of a part of it', async () => {
  expect(await written()).toEqual(inAll);
  const [, each] = dayParts('writes');
  const before = await columnOf(each);
  await replace(each, Buffer.from([1, 2, 3]));
  expect(await written()).toEqual(inAll);
  expect(await written(day - 2 * DAY_MS)).toEqual(inAll);
  await expect(written(day + 6 * HOUR_MS)).rejects.toThrow();
  await replace(each, before);
  const half = OBJECTS.map((writes) => (writes === 0 ? undefined : writes * 60));
  expect(await written(day, day + 7 * HOUR_MS)).toEqual(half);
});

it('a day that was packed without sums is read span by span', async () => {
  const { layout_id } = await store.db.one<{ layout_id: number }>(sql`select layout_id from ${PACKED}`);
  await store.db.run(sql`
    insert into matriarch.packed_layouts (layout_id, names)
    select 9999, array(select case when n = ${daySums('writes')} then 'unknown' else n end from unnest(l.names) n)
    from matriarch.packed_layouts l
    where l.layout_id = ${layout_id}::integer`);
  await store.db.run(sql`update ${PACKED} set layout_id = 9999`);
  expect(await written()).toEqual(inAll);
  await store.db.run(sql`update ${PACKED} set layout_id = ${layout_id}::integer`);
});

it('rows of a packed day that came late count, and its other spans as they were', async () => {
  await store.db.run(sql`
    insert into ${ROLLED} (connection_id, runs, collected_at, covered_seconds, database_name, object_ids, writes)
    select ${id}::integer, 60, ${new Date(day + 6 * HOUR_MS).toISOString()}::timestamptz, 3600, 'shop',
      array_agg(o.object_id order by o.object_id), array_agg(7000 + o.object_id order by o.object_id)
    from (
      select 0 as object_id
      union all
      select object_id from metrics.objects where connection_id = ${id} and kind = ${RELATIONS.name}
    ) o`);
  const ids = await store.db.rows<{ relid: number; object_id: number }>(
    sql`select (key ->> 'relid')::integer as relid, object_id from metrics.objects where connection_id = ${id}`,
  );
  const rest = RUNS - 1 - 60;
  const wanted = OBJECTS.map(
    (writes, relid) => 7000 + (ids.find((one) => one.relid === relid)?.object_id ?? 0) + writes * rest,
  );
  expect(await written()).toEqual(wanted);
});

it('rows that came late for a time between its spans count as well', async () => {
  const other = await store.leased();
  await collect(other, 151, (run) => run <= 30 || run >= 120);
  const twice = OBJECTS.map((writes) => (writes === 0 ? undefined : writes * 60));
  expect(await written(day, day + DAY_MS, other)).toEqual(twice);
  await store.db.run(sql`
    insert into ${ROLLED} (connection_id, runs, collected_at, covered_seconds, database_name, object_ids, writes)
    select ${other}::integer, 60, ${new Date(day + 7 * HOUR_MS).toISOString()}::timestamptz, 3600, 'shop', '{0}'::integer[] || array_agg(o.object_id), '{16}'::double precision[] || array_agg(8::double precision)
    from metrics.objects o
    where o.connection_id = ${other} and o.kind = ${RELATIONS.name}`);
  expect(await written(day, day + DAY_MS, other)).toEqual(OBJECTS.map((writes) => writes * 60 + 8));
});

it('a day that has one span alone is read by its sums as well', async () => {
  const other = await store.leased();
  await collect(other, 31);
  const grown = OBJECTS.map((writes) => (writes === 0 ? undefined : writes * 30));
  expect(await written(day, day + DAY_MS, other)).toEqual(grown);
  expect(await written(day - 2 * DAY_MS, day + DAY_MS, other)).toEqual(grown);
});
