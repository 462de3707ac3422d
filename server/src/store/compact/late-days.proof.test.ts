// Tiers whose spans hold few samples, made once their day is over: through what comes late, fails, is stopped, was made by a
// version before or is kept for a short time. What a day comes to where all is well is in late-days.test.ts.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identifier, sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { SLOW_SERVER, SLOW_TABLES } from '../../testing/store/kept-probes.ts';
import {
  begunSlowDays,
  expectNear,
  SLOW_LAYOUTS,
  type SlowDays,
  tiersOfSeries,
} from '../../testing/store/slow-days.ts';
import { plain } from '../layout/engine/plain.ts';
import { TIERS } from '../layout/tiers.ts';
import { runMaintenance } from '../upkeep/maintenance.ts';
import { verifyStore } from '../upkeep/verify.ts';
import { runCompaction } from './compact.ts';
import { putDay, SeenDays } from './pack-days.ts';

let store: SlowDays;
let id: number;
beforeEach(async () => {
  ({ store, id } = await begunSlowDays());
});
afterEach(() => store.close());

it('takes what comes late into a day that was made, and nothing of a day that is not over', async () => {
  await store.collect(id, -3, 3);
  await store.collect(id, 4, 12);
  await store.compact(12);
  await store.collect(id, 3, 3.5);
  expect(await store.compact(12)).toEqual([]);
  expect([await store.inRows(id), await store.inDays(id)]).toEqual([
    [0, 0],
    [0, 0],
  ]);
  await store.collect(id, 12, 30);
  await store.compact(28);
  const before = await store.ask(id, 0, 24);
  await store.collect(id, 3.5, 4);
  expect(await store.compact(28)).toEqual([]);
  expect([await store.inRows(id), await store.inDays(id)]).toEqual([
    [0, 0],
    [1, 2],
  ]);
  const after = await store.ask(id, 0, 24);
  expect(tiersOfSeries(after)).toEqual(['m15']);
  expectNear(after, await store.truth(id, 0, 24));
  expect(after).not.toEqual(before);
});

it('counts a day as made once it was of all connections, and makes again what is missing only', async () => {
  const other = await store.leased();
  for (const one of [id, other]) await store.collect(one, -3, 30);
  await store.compact(12);
  await store.db.run(sql`
    create function public.test_refuse() returns trigger language plpgsql
    as $$ begin if new.connection_id = 1 then raise 'not of this one'; end if; return new; end $$`);
  await store.db.run(sql`
    create trigger test_refuse before insert on metrics.slow_server__m15p
    for each row execute function public.test_refuse()`);
  const seenDays = new SeenDays();
  const versions = () =>
    store.db.rows(sql`
      select p.connection_id, p.xmin::text as version from metrics.slow_server__m15p p
      where p.connection_id = ${other} order by p.collected_at`);
  expect(await store.compact(28, { seenDays })).toEqual(['slow_server: not of this one']);
  expect(await store.filled()).toBe(0);
  expect(await store.filled(SLOW_TABLES.name)).toBe(24);
  expect([await store.inDays(id), await store.inDays(other)]).toEqual([
    [0, 2],
    [1, 2],
  ]);
  expectNear(await store.ask(id, 0, 24), await store.truth(id, 0, 24));
  const first = await versions();
  expect(await store.compact(28, { seenDays })).toEqual(['slow_server: not of this one']);
  expect(await versions()).toEqual(first);
  await store.db.run(sql`drop trigger test_refuse on metrics.slow_server__m15p`);
  expect(await store.compact(28, { seenDays })).toEqual([]);
  expect(await versions()).toEqual(first);
  expect(await store.filled()).toBe(24);
  for (const one of [id, other]) {
    expect(await store.inDays(one)).toEqual([1, 2]);
    expectNear(await store.ask(one, 0, 24), await store.truth(one, 0, 24));
  }
});

it('stops in the middle when it is told to, and does the rest in the next run', async () => {
  const other = await store.leased();
  for (const one of [id, other]) await store.collect(one, 0, 23);
  await store.compact(25.9);
  expect(await store.inDays(id)).toEqual([0, 0]);
  const { signal } = new AbortController();
  let asked = 0;
  Object.defineProperty(signal, 'aborted', {
    get: () => {
      asked += 1;
      return asked > 2;
    },
  });
  await runCompaction({
    db: store.db,
    layouts: SLOW_LAYOUTS.filter(({ probe }) => probe === SLOW_SERVER.name),
    now: store.day + 26 * HOUR_MS,
    signal,
  });
  expect([await store.inDays(id), await store.inDays(other)]).toEqual([
    [1, 0],
    [0, 0],
  ]);
  expect(await store.filled()).toBe(0);
  expect(await store.compact(26)).toEqual([]);
  expect(await store.filled()).toBe(24);
  for (const one of [id, other]) {
    expect(await store.inDays(one)).toEqual([1, 2]);
    expectNear(await store.ask(one, 0, 24), await store.truth(one, 0, 24));
  }
});

it('asks nothing more of the datastore in a run that finds nothing to do', async () => {
  await store.collect(id, -3, 30);
  const seenDays = new SeenDays();
  await store.compact(28, { seenDays });
  await store.compact(28, { seenDays });
  const sent: string[] = [];
  const db = new Proxy(store.db, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (statement: { text?: string }, ...more: unknown[]) => {
        if (statement?.text) sent.push(statement.text);
        return Reflect.apply(value, target, [statement, ...more]);
      };
    },
  });
  const now = store.day + 28 * HOUR_MS;
  await runCompaction({ db, engine: plain, layouts: SLOW_LAYOUTS, now, seenDays });
  const names = sent.map((text) => /\/\* ([a-z_.]+) \*\//.exec(text)?.[1]);
  expect(names.filter((name) => name !== 'store.open_hours')).toEqual([
    'store.note_intervals',
    'store.interval_changes',
    'store.retention_classes',
    'store.tier_columns',
    'store.tier_tables',
    'store.partitions',
    'store.filled_until',
    'store.tier_tables',
    'store.partitions',
  ]);
});

it('goes on from what a version before it had made hour by hour', async () => {
  // Hours of a tier that counts as made are made as all were by that version.
  await store.db.run(sql`update matriarch.tier_tables set filled_until = now() where tier = 'm15'`);
  await store.collect(id, -3, 3.25);
  await store.collect(id, 3.75, 12);
  expect(await store.compact(12)).toEqual([]);
  const ten = new Date(store.day + 10 * HOUR_MS).toISOString();
  await store.db.run(
    sql`update matriarch.tier_tables set filled_until = ${ten}::timestamptz where tier = 'm15'`,
  );
  expect((await store.inRows(id)).every((n) => n > 20)).toBe(true);

  const spliced = await store.ask(id, -3, 12);
  expect(tiersOfSeries(spliced)).toEqual(['m15']);
  expectNear(spliced, await store.truth(id, -3, 12));
  // Of thousands of objects it had packed what there was of the day.
  const [tables] = SLOW_LAYOUTS.filter(({ probe }) => probe === SLOW_TABLES.name);
  const tier = TIERS.find(({ name }) => name === 'm15');
  if (!tables || !tier) throw new Error('tables are rolled up by the quarter of an hour');
  const open = { connection_id: id, database_name: 'zoo', day: store.day };
  await store.db.transaction((inner) => putDay(inner, { layout: tables, tier, open }));
  expect(await store.inDays(id)).toEqual([0, 1]);
  expectNear(await store.ask(id, -3, 12), await store.truth(id, -3, 12));
  // What comes late is in rows that are read still.
  await store.collect(id, 3.25, 3.75);
  await store.collect(id, 12, 16);
  expect(await store.compact(18)).toEqual([]);
  expect(await store.filled()).toBe(10);
  expectNear(await store.ask(id, -3, 16), await store.truth(id, -3, 16));

  await store.collect(id, 16, 30);
  expect(await store.compact(29)).toEqual([]);
  expect(await store.filled()).toBe(24);
  expect([await store.inRows(id), await store.inDays(id)]).toEqual([
    [0, 0],
    [1, 2],
  ]);
  const whole = await store.ask(id, 0, 24);
  expect(tiersOfSeries(whole)).toEqual(['m15']);
  expectNear(whole, await store.truth(id, 0, 24));
});

it('keeps what was made of a day of which the samples are gone', async () => {
  await store.db.run(sql`update matriarch.tier_tables set filled_until = now() where tier = 'm15'`);
  await store.collect(id, -3, 12);
  await store.compact(12);
  const ten = new Date(store.day + 10 * HOUR_MS).toISOString();
  await store.db.run(
    sql`update matriarch.tier_tables set filled_until = ${ten}::timestamptz where tier = 'm15'`,
  );
  const before = await store.ask(id, 0, 8);
  const eight = new Date(store.day + 8 * HOUR_MS).toISOString();
  for (const probe of [SLOW_SERVER, SLOW_TABLES])
    await store.db.run(sql`
      delete from metrics.${identifier(`${probe.name}__packed`)} where collected_at < ${eight}::timestamptz`);
  expect(await store.compact(28)).toEqual([]);
  expect(await store.filled()).toBe(24);
  const after = await store.ask(id, 0, 8);
  expect(tiersOfSeries(after)).toEqual(['m15']);
  expectNear(after, before);
});

const rollupProblems = async (hour: number) => {
  const checks = await verifyStore(store.db, { layouts: SLOW_LAYOUTS, now: store.day + hour * HOUR_MS });
  return checks.filter(({ what, problem }) => what.endsWith(': rollups') && problem !== null);
};

it('is verified once it was made, and not before', async () => {
  await store.collect(id, -3, 14);
  await store.compact(16);
  expect(await rollupProblems(16)).toEqual([]);
  await store.collect(id, 14, 34);
  await store.compact(36);
  expect(await rollupProblems(36)).toEqual([]);
  // Only of quarters of an hour, which the newest hours do not have yet.
  await store.db.run(sql`
    with names as (
      insert into matriarch.packed_layouts (names)
      select distinct array_replace(l.names, 'reads', 'raeds') from matriarch.packed_layouts l
      join metrics.slow_server__m15p p using (layout_id)
      returning layout_id
    )
    update metrics.slow_server__m15p p set layout_id = names.layout_id from names`);
  expect(await rollupProblems(36)).toEqual([
    {
      what: 'slow_server: rollups',
      problem: expect.stringMatching(/^connection \d+, .*Z: m15 of .* is not what/),
    },
  ]);
});

it('makes hours of a probe that somebody runs rarely when they are packed', async () => {
  await store.db.run(sql`
    insert into matriarch.interval_changes (connection_id, probe, since, interval_seconds)
    values (${id}, ${SLOW_SERVER.name}, now() - interval '20 days', 7200)`);
  await store.collect(id, -3, 30);
  expect(await store.compact(26)).toEqual([]);
  // The last hours of the day are raw still.
  expect(await store.rows('slow_server__packed', id)).toBeLessThan(24);
  expect(await store.filled()).toBe(24);
  expect(await store.compact(34)).toEqual([]);
  expect(await store.rows('slow_server__m15', id)).toBe(0);
  expect(await store.rows('slow_server__packed', id)).toBeGreaterThan(22);
  expect(await rollupProblems(34)).toEqual([]);
});

it('begins a day with what was known before it, however short samples are kept', async () => {
  await store.collect(id, -3, 30);
  await store.compact(12);
  const raw = await store.truth(id, 0, 24);
  await store.db.run(sql`update matriarch.metric_tables set retention_days = 1`);
  await store.db.run(sql`update matriarch.tier_tables set retention_days = 1 where tier = 'packed'`);
  const layouts = SLOW_LAYOUTS.map((layout) => ({ ...layout, retentionDays: 1 }));
  const at = (hour: number) => store.day + hour * HOUR_MS;
  await runMaintenance({ db: store.db, probes: [], now: at(25) });
  expect((await runCompaction({ db: store.db, layouts, now: at(25) })).problems).toEqual([]);
  expect((await runCompaction({ db: store.db, layouts, now: at(27) })).problems).toEqual([]);
  const found = await store.ask(id, 0, 24);
  expect(tiersOfSeries(found)).toEqual(['m15']);
  expectNear(found, raw);
});

it('gives a day up that can never be made before its samples are gone, so that others count', async () => {
  await store.collect(id, 0, 9);
  await store.compact(12);
  // What does not unpack.
  await store.db.run(
    sql`update metrics.slow_server__packed set columns[1] = substring(columns[1] from 1 for 2)`,
  );
  expect((await store.compact(28)).length).toBe(1);
  expect(await store.filled()).toBe(0);
  expect((await store.compact(24 * 7 + 4)).length).toBe(1);
  expect(await store.filled()).toBe(24);
});
