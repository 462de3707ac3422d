// Active sessions by statement, role and so on from rollups: the same as plain loops over the samples, of which each span
// tells the twenty largest apart.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { probe } from '../../probes/pg-active-sessions.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import type { Row } from '../../store/layout/types.ts';
import type { NamedSplit } from '../../store/rollup/active-sessions.queries.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { activeSessions } from './active-sessions.ts';

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

const QUARTER = HOUR_MS / 4;
const KEPT = 20;

type Sample = readonly [at: number, rows: readonly Row[]];

let seed = 11;
const random = (below: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((seed / 2 ** 31) * below);
};

function combination(): Row {
  const wait = [null, 'IO', 'LWLock'][random(3)] ?? null;
  const is_rest = random(20) === 0;
  return {
    state: random(10) === 0 ? 'idle in transaction' : 'active',
    wait_event_type: wait,
    wait_event: wait && !is_rest ? `e${random(12)}` : null,
    datname: is_rest ? null : `d${random(2)}`,
    usename: is_rest || random(6) === 0 ? null : `u${random(4)}`,
    application_name: null,
    client_addr: null,
    backend_type: is_rest ? null : 'client backend',
    // Small numbers are the most frequent.
    query_id: is_rest ? null : String(Math.floor((random(1000) / 1000) ** 2 * 60) - 3),
    is_rest,
    sessions: 1 + random(3),
    oldest_xact_seconds: 0,
    oldest_query_seconds: null,
  };
}

/** An hour by the second, in which combinations stay for some seconds, with gaps. */
function samplesFrom(start: number): Sample[] {
  let rows: Row[] = [];
  return Array.from({ length: HOUR_MS / 1000 - 5 }, (_none, n) => {
    if (n % 4 === 0)
      rows = [...rows.slice(0, 2), ...Array.from({ length: random(6) }, combination)].slice(-6);
    const unique = new Map(
      rows.map((row) => [JSON.stringify({ ...row, sessions: 0, oldest_xact_seconds: 0 }), row]),
    );
    return [start + (n + 5) * 1000, [...unique.values()]] as const;
  }).filter((_sample, n) => n % 700 < 600);
}

/** As texts that stand in the order in which those that weigh the same are ranked. */
const textOf = (name: unknown, database: unknown = null) => JSON.stringify([name, database]);
const NAMES: Record<'statement' | 'user' | 'wait_event', (row: Row) => string> = {
  statement: ({ query_id, datname }) => textOf(query_id, datname),
  user: ({ usename }) => textOf(usename),
  wait_event: ({ wait_event_type, wait_event }) =>
    textOf(wait_event_type === null ? 'CPU' : [wait_event_type, wait_event].filter(Boolean).join(':')),
};

interface Span {
  covered: number;
  names: Map<string, number>;
  rest: number;
}

/** Plain loops: what each span's sessions did, with all but the largest as the rest. */
function modelOf(
  samples: readonly Sample[],
  grid: { start: number; width: number; spans: number },
  name: (row: Row) => string,
) {
  const spans: Span[] = Array.from({ length: grid.spans }, () => ({ covered: 0, names: new Map(), rest: 0 }));
  for (const [n, [at, rows]] of samples.entries()) {
    const before = samples[n - 1];
    const isCalm = before !== undefined && !before[1].some(({ state }) => state === 'active');
    const since = Math.max(before?.[0] ?? 0, at - (isCalm ? 25_000 : 2500));
    for (let ms = since; ms < at; ms += 500) {
      const span = spans[Math.floor((ms - grid.start) / grid.width)];
      if (!span) continue;
      span.covered += 500;
      for (const row of rows) {
        if (row.state !== 'active') continue;
        const own = 500 * Number(row.sessions);
        if (row.is_rest) span.rest += own;
        else span.names.set(name(row), (span.names.get(name(row)) ?? 0) + own);
      }
    }
  }
  return spans;
}

function answerOf(spans: readonly Span[]) {
  const kept = spans.map(({ names, rest }) => {
    const sorted = [...names].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return {
      names: new Map(sorted.slice(0, KEPT)),
      rest: rest + sorted.slice(KEPT).reduce((sum, [, ms]) => sum + ms, 0),
      isCut: sorted.length > KEPT,
    };
  });
  const weights = new Map<string, number>();
  for (const { names } of kept)
    for (const [name, ms] of names) weights.set(name, (weights.get(name) ?? 0) + ms);
  const largest = [...weights].sort((a, b) => b[1] - a[1]).slice(0, 10);
  const told = new Set(largest.map(([name]) => name));
  return {
    isCut: kept.some(({ isCut }) => isCut),
    weights,
    /** Of the tenth. */
    least: largest.at(-1)?.[1] ?? 0,
    told,
    valueOf: (name: string, n: number) => (kept[n]?.names.get(name) ?? 0) / (spans[n]?.covered ?? 1),
    restOf: (n: number, others: ReadonlySet<string>) =>
      ((kept[n]?.rest ?? 0) +
        [...(kept[n]?.names ?? [])].reduce((sum, [name, ms]) => sum + (others.has(name) ? 0 : ms), 0)) /
      (spans[n]?.covered ?? 1),
  };
}

it('says of each span what the samples said of its largest, and of all others together', {
  timeout: 120_000,
}, async () => {
  const id = await store.leased();
  const start = Math.floor((systemClock.now() - 5 * HOUR_MS) / HOUR_MS) * HOUR_MS;
  const samples = samplesFrom(start);
  const writer = store.writer({ probes: [probe] });
  for (const [at, rows] of samples) writer.add(keptRun(probe, { connection_id: id, at, rows }));
  await writer.flush();
  await writer.stop();
  const layout = layoutOf(probe);
  const packed = await runCompaction({
    db: store.db,
    layouts: layout ? [layout] : [],
    now: start + 3 * HOUR_MS,
  });
  expect(packed.problems).toEqual([]);
  const of = async (split: NamedSplit, buckets: number) =>
    activeSessions(store.db, {
      connection_id: id,
      split,
      from: start - 23 * HOUR_MS,
      to: start + HOUR_MS,
      buckets,
    });
  for (const split of ['statement', 'user', 'wait_event'] as const)
    for (const [buckets, spans] of [
      [96, 4],
      [24, 1],
    ] as const) {
      const found = await of(split, buckets);
      const width = HOUR_MS / spans;
      const model = modelOf(samples, { start, width, spans }, NAMES[split]);
      const answer = answerOf(model);
      const [window] = found.windows;
      expect(window?.parts.map(({ tier }) => tier)).toEqual([width === QUARTER ? 'm15' : 'h1']);
      expect(window?.is_cut).toBe(answer.isCut);
      expect(window?.members_coverage).toBeCloseTo(window?.coverage ?? -1, 9);
      const named = found.members.filter(({ is_rest }) => !is_rest);
      const names = named.map(({ name, database_name }) => textOf(name, database_name));
      expect(names).toHaveLength(Math.min(10, answer.weights.size));
      // Those that weigh the same may stand for each other.
      for (const name of names) expect(answer.weights.get(name)).toBeGreaterThanOrEqual(answer.least - 1);
      const told = new Set(names);
      for (let n = 0; n < spans; n += 1) {
        const bucket = buckets - spans + n;
        for (const [index, name] of names.entries())
          expect(named[index]?.windows[0]?.values[bucket]).toBeCloseTo(answer.valueOf(name, n), 4);
        const rest = found.members.find(({ is_rest }) => is_rest)?.windows[0]?.values[bucket] ?? 0;
        expect(rest).toBeCloseTo(answer.restOf(n, told), 3);
      }
      expect(named[0]?.windows[0]?.values.slice(0, buckets - spans)).toEqual(
        Array.from({ length: buckets - spans }, () => null),
      );
    }
  // What rollups of an older version do not know is unknown, and not nobody.
  await store.db.run(
    sql`update metrics.pg_active_sessions__h1 set by_statement = null where connection_id = ${id}`,
  );
  const unknown = await of('statement', 24);
  expect([unknown.members, unknown.windows[0]?.members_coverage]).toEqual([[], 0]);
  expect(unknown.windows[0]?.total.values.at(-1)).toBeGreaterThan(0);
});
