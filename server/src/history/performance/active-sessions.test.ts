// Average active sessions by class of wait, from samples whose truth is known.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { probe } from '../../probes/pg-active-sessions.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import type { Row } from '../../store/layout/types.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { activeSessions } from './active-sessions.ts';

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

/** A combination: class of wait (null: processor), how many, and something that tells it from others. */
const combination = (
  wait_event_type: string | null,
  sessions: number,
  { state = 'active', client = 'a' } = {},
): Row => ({
  state,
  wait_event_type,
  wait_event: wait_event_type && 'some',
  datname: 'shop',
  usename: 'app',
  application_name: null,
  client_addr: client,
  backend_type: 'client backend',
  query_id: null,
  is_rest: false,
  sessions,
  oldest_xact_seconds: 0,
  oldest_query_seconds: null,
});

const recently = (ago: number) => Math.floor(systemClock.now() / 1000) * 1000 - ago;

async function write(id: number, samples: readonly (readonly [at: number, rows: readonly Row[]])[]) {
  const writer = store.writer({ probes: [probe] });
  for (const [at, rows] of samples) writer.add(keptRun(probe, { connection_id: id, at, rows }));
  await writer.flush();
  await writer.stop();
  expect(writer.stats.waiting_runs).toBe(0);
}

type LoadAnswer = Awaited<ReturnType<typeof activeSessions>>;
const membersOf = ({ members }: LoadAnswer) =>
  members.map(({ name, windows }) => ({ wait_class: name, values: windows[0]?.values ?? [] }));
const asMap = (found: LoadAnswer) =>
  Object.fromEntries(membersOf(found).map(({ wait_class, values }) => [wait_class, values]));
const whole = ({ windows: [first] }: LoadAnswer) => first ?? expect.fail('no window');

describe('average active sessions', () => {
  it('stack by class of wait; what nobody sampled is null, what was calm is zero', async () => {
    const id = await store.leased();
    const other = await store.leased();
    const from = recently(600_000);
    const idle = combination('Client', 7, { state: 'idle in transaction' });
    const at = (second: number, ...rows: Row[]) => [from + second * 1000, rows] as const;
    await write(other, [at(5, combination('IO', 50))]);
    await write(id, [
      at(0),
      ...Array.from({ length: 10 }, (_, n) => at(n + 1, combination(null, 2), idle)),
      ...Array.from({ length: 10 }, (_, n) =>
        at(
          n + 11,
          combination(null, 1),
          combination('Lock', 2),
          combination('Lock', 1, { client: `${n}` }),
          idle,
        ),
      ),
      at(60),
      at(70),
      at(80, combination('Lock', 4)),
    ]);
    const query = { connection_id: id, from, to: from + 80_000, buckets: 8 };
    const found = await activeSessions(store.db, query);
    expect(membersOf(found).map(({ wait_class }) => wait_class)).toEqual(['CPU', 'Lock']);
    expect(asMap(found)).toEqual({
      CPU: [2, 1, null, null, null, 0, 0, 0],
      Lock: [0, 3, null, null, null, 0, 0, 4],
    });
    expect(whole(found).total.values).toEqual([2, 4, null, null, null, 0, 0, 4]);
    expect(whole(found).coverage).toBeCloseTo((20 + 2.5 + 10 + 10) / 80, 6);
    const half = await activeSessions(store.db, {
      ...query,
      from: from + 5000,
      to: from + 15_000,
      buckets: 1,
    });
    expect(asMap(half)).toEqual({ CPU: [1.5], Lock: [1.5] });
    expect(whole(half).coverage).toBeCloseTo(1, 6);
  });

  it('nothing at all was sampled: no class, no value', async () => {
    const id = await store.leased();
    const from = recently(60_000);
    const found = await activeSessions(store.db, { connection_id: id, from, to: from + 1000, buckets: 2 });
    expect(found.members).toEqual([]);
    expect(whole(found)).toEqual({
      from,
      to: from + 1000,
      total: { values: [null, null], mean: null },
      coverage: 0,
      members_coverage: 0,
      is_cut: false,
      parts: [],
    });
  });

  it('are the same as counting, over hours, keyframes and combinations that come and go', async () => {
    const id = await store.leased();
    const step = 5000;
    const buckets = 10;
    const start = recently(3 * HOUR_MS);
    let seed = 42;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const classes = [null, 'IO', 'LWLock', 'Lock'];
    const samples = Array.from({ length: (2.5 * HOUR_MS) / step }, (_, n) => {
      const rows = new Map<string, Row>();
      for (let k = random(6); k >= 0; k -= 1) {
        const [kind = null, client] = [classes[random(4)], `c${random(5)}`];
        rows.set(`${kind} ${client}`, combination(kind, 1 + random(4), { client }));
      }
      return [start + n * step, [...rows.values()]] as const;
    });
    await write(id, samples);
    const from = start + HOUR_MS;
    const to = start + 2 * HOUR_MS;
    const interval_seconds = step / 1000;
    const found = await activeSessions(store.db, { connection_id: id, from, to, buckets, interval_seconds });
    expect(whole(found).coverage).toBeCloseTo(1, 6);
    const width = (to - from) / buckets;
    for (const { wait_class, values } of membersOf(found))
      for (const [n, value] of values.entries()) {
        const mine = samples.filter(([at]) => at > from + n * width && at <= from + (n + 1) * width);
        const all = mine.flatMap(([, rows]) => rows);
        const same = all.filter(({ wait_event_type }) => (wait_event_type ?? 'CPU') === wait_class);
        const sum = same.reduce((total, { sessions }) => total + Number(sessions), 0);
        expect(value).toBeCloseTo(sum / mine.length, 6);
      }
    expect(membersOf(found)).toHaveLength(4);
    // The same once the hours are packed and their raw ticks are gone.
    const layout = layoutOf(probe);
    const packed = await runCompaction({
      db: store.db,
      layouts: layout ? [layout] : [],
      now: to + 4 * HOUR_MS,
    });
    expect(packed.problems).toEqual([]);
    const raw = await store.db.one<{ n: number }>(sql`
      select count(*) as n
      from metrics.pg_active_sessions__ticks t
      where t.connection_id = ${id} and t.collected_at < ${new Date(from).toISOString()}::timestamptz`);
    expect(raw.n).toBe(0);
    expect(
      await activeSessions(store.db, { connection_id: id, from, to, buckets, interval_seconds }),
    ).toEqual(found);
  });

  it('read the same by minutes from rollups, while the newest ticks are raw', async () => {
    const id = await store.leased();
    const minute = 60_000;
    const end = Math.floor(recently(0) / minute) * minute;
    const start = end - 2 * HOUR_MS;
    const samples = Array.from({ length: (2 * HOUR_MS) / 1000 + 1 }, (_, n) => {
      const rows = [combination(null, 1 + (n % 3)), combination('Lock', 2, { client: `c${n % 7}` })];
      return [start + n * 1000, n % 1000 < 900 ? rows : []] as const;
    });
    await write(id, samples);
    const query = { connection_id: id, from: start, to: end, buckets: 24 };
    // The test before packed what lies ahead.
    await store.db.run(sql`update matriarch.tier_tables set filled_until = null`);
    const before = await activeSessions(store.db, query);
    const layout = layoutOf(probe);
    const packed = await runCompaction({ db: store.db, layouts: layout ? [layout] : [], now: end });
    expect(packed.problems).toEqual([]);
    const { raw, minutes, from } = await store.db.one<{ raw: number; minutes: number; from: string }>(sql`
      select
        (select count(*) from metrics.pg_active_sessions__ticks t where t.connection_id = ${id}) as raw,
        (select count(*) from metrics.pg_active_sessions__m1 r where r.connection_id = ${id}) as minutes,
        (select min(t.collected_at) from metrics.pg_active_sessions__ticks t where t.connection_id = ${id}) as from`);
    // Ten to twenty minutes, and what is needed to tell the newest state.
    expect(Date.parse(from)).toBeGreaterThanOrEqual(end - 31 * minute);
    expect(raw).toBeLessThan(2 * 1900);
    expect(minutes).toBeGreaterThanOrEqual(100);
    const after = await activeSessions(store.db, query);
    expect(membersOf(after).map(({ wait_class }) => wait_class)).toEqual(['CPU', 'Lock']);
    for (const [index, { values }] of membersOf(after).entries())
      for (const [n, value] of values.entries())
        expect(value).toBeCloseTo(membersOf(before)[index]?.values[n] ?? Number.NaN, 5);
    expect(whole(after).coverage).toBeCloseTo(whole(before).coverage, 6);
    expect(
      (await store.db.rows(sql`select from metrics.objects o where o.connection_id = ${id}`)).length,
    ).toBe(8);
  });
});
