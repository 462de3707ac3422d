// What the API tells of counters against what really happened on a server: over readings that are missed or cut, evictions, resets,
// births, restarts of the server and of the collector, and an interval that changes. Nothing is told beyond the truth, what two
// readings prove is told in full, and a hole is null. Everyday some histories, in the proof many.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { probes as catalog } from '../../probes/catalog.gen.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import type { Row } from '../../store/layout/types.ts';
import { MetricsWriter } from '../../store/write/writer.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import {
  type Bounds,
  boundsOf,
  CountedList,
  type Shown,
  statementRows,
  tableRows,
  type Version,
} from '../../testing/store/counted-server.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import { isProof } from '../../testing/tier.ts';
import { metricsRoutes } from '../metrics/metrics.routes.ts';
import { performanceRoutes } from './performance.routes.ts';

const STEP_MS = 5 * MINUTE_MS;
const STEPS = 30;
const GAP_STEPS = 2.5;
const NAMES = ['1', '2', '3', '4', '5', '6', '7'];
const LISTS = [
  { name: 'pg_stat_statements', key: 'queryid', column: 'calls' },
  { name: 'pg_stat_all_tables', key: 'table_name', column: 'n_tup_ins' },
] as const;
const probes = catalog.filter(({ name }) => LISTS.some((list) => list.name === name));

let test: TestApi;
/** When a history begins. */
let T: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [metricsRoutes, performanceRoutes] });
  T = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 12 * HOUR_MS;
});
afterAll(() => test.close());

const act = fc.record({
  what: fc.constantFrom(...Array<string>(9).fill('count'), 'drop', 'reset one', 'reset all'),
  name: fc.constantFrom(...NAMES),
  times: fc.integer({ min: 1, max: 5000 }),
});
const step = fc.record({
  acts: fc.array(act, { maxLength: 6 }),
  how: fc.constantFrom(
    ...Array<string>(10).fill('read'),
    ...['missed', 'missed', 'cut', 'new collector', 'new collector', 'server restarted'],
  ),
});
const scene = fc.record({
  version: fc.constantFrom<Version>('since', 'info', 'blind'),
  slowFrom: fc.option(fc.integer({ min: 3, max: STEPS }), { nil: undefined, freq: 2 }),
  steps: fc.array(step, { minLength: STEPS, maxLength: STEPS }),
});
type Scene = typeof scene extends fc.Arbitrary<infer S> ? S : never;
type Act = Scene['steps'][number]['acts'][number];

interface CountedFigures {
  id: number;
  version: Version;
  slowFrom: number | undefined;
  shown: Record<(typeof LISTS)[number]['name'], Shown[]>;
}

function happen(list: CountedList, { what, name, times }: Act, at: number) {
  if (what === 'count') list.count(name, times, at);
  else if (what === 'drop') list.drop(name);
  else if (what === 'reset one') list.resetOne(name);
  else list.resetAll(at);
}

interface Sent {
  rows: readonly Row[];
  /** The reading says by itself whether anything was thrown away. */
  isTold: boolean;
}

class Reader {
  #epoch = 0;
  #writer: MetricsWriter | undefined;
  readonly #id: number;

  constructor(id: number) {
    this.#id = id;
  }

  async begin(): Promise<void> {
    await this.end();
    this.#epoch += 1;
    await test.db.run(sql`/* test.lease */
      insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
      values (${this.#id}, 'test', ${this.#epoch}, now() + interval '1 hour')
      on conflict (connection_id) do update set epoch = excluded.epoch`);
    this.#writer = new MetricsWriter({ db: test.db, log: silentLog, clock: systemClock, probes });
  }

  add(probe: string, { at, life, isCut, continuity }: Shown, { rows, isTold }: Sent): void {
    const own = probes.find(({ name }) => name === probe) ?? expect.fail();
    const run = keptRun(own, {
      ...{ connection_id: this.#id, at, rows, database_name: 'shop' },
      ...{ server_instance: `life ${life}`, epoch: this.#epoch },
    });
    if (run.outcome.kind !== 'ran') expect.fail();
    const more = { ...(isCut && { is_cut: true as const }), ...(isTold && { continuity }) };
    this.#writer?.add({ ...run, outcome: { ...run.outcome, ...more } });
  }

  async end(): Promise<void> {
    while (this.#writer && this.#writer.stats.waiting_runs > 0) await this.#writer.flush();
    await this.#writer?.flush();
    await this.#writer?.stop();
  }
}

async function play({ version, slowFrom, steps }: Scene): Promise<CountedFigures> {
  const id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  if (slowFrom !== undefined)
    await test.db.run(sql`
      insert into matriarch.interval_changes (connection_id, probe, since, interval_seconds)
      select ${id}, p.name, ${iso(T + slowFrom * STEP_MS)}::timestamptz, 900
      from unnest(${probes.map(({ name }) => name)}::text[]) as p (name)`);
  const lists = [new CountedList(true, T), new CountedList(false, T)] as const;
  const shown: CountedFigures['shown'] = { pg_stat_statements: [], pg_stat_all_tables: [] };
  const reader = new Reader(id);
  await reader.begin();
  let life = 0;
  for (const [index, { acts, how }] of steps.entries()) {
    const at = T + index * STEP_MS;
    for (const [n, one] of acts.entries())
      for (const list of lists) happen(list, one, at - STEP_MS + (n + 1) * 1000);
    if (how === 'missed') continue;
    const isFirst = how === 'new collector';
    if (isFirst) await reader.begin();
    if (how === 'server restarted') life += 1;
    const [statements, tables] = lists.map((list) =>
      list.show({ at, life, isFirst, most: how === 'cut' ? 2 : 99 }),
    );
    if (!statements || !tables) expect.fail();
    shown.pg_stat_statements.push(statements);
    shown.pg_stat_all_tables.push(tables);
    reader.add('pg_stat_statements', statements, {
      ...{ rows: statementRows(statements, version), isTold: version === 'info' },
    });
    reader.add('pg_stat_all_tables', tables, { rows: tableRows(tables), isTold: false });
  }
  await reader.end();
  return { id, version, slowFrom, shown };
}

/** For each step what may be told of these objects; undefined: a hole. An interval that changes makes holes of some lengths either. */
function expected(
  { shown, slowFrom, version }: CountedFigures,
  list: (typeof LISTS)[number]['name'],
  names: readonly string[],
) {
  const found: ((Bounds & { isHole: boolean | undefined }) | undefined)[] = [];
  for (const [index, now] of shown[list].entries()) {
    const before = shown[list][index - 1];
    if (!before || before.life !== now.life) continue;
    const steps = (now.at - before.at) / STEP_MS;
    const isLong = steps > GAP_STEPS;
    if (isLong && slowFrom === undefined) continue;
    const own = list === 'pg_stat_statements' ? version : undefined;
    const all = names.map((name) => boundsOf({ before, now }, name, own));
    const sum = (of: keyof Bounds) => all.reduce((total, one) => total + one[of], 0) / steps;
    for (let n = 1; n <= steps; n += 1)
      found[(before.at - T) / STEP_MS + n] = {
        ...{ least: sum('least'), most: sum('most'), isHole: isLong ? undefined : false },
      };
  }
  return found;
}

const NEAR = 1e-6;
async function get<T>(path: string): Promise<T> {
  const reply = await test.call(`GET /api/v1/metrics/${path}`, { token: test.actors.owner.session });
  expect(reply.error).toBeUndefined();
  return reply.body as T;
}

interface Series {
  data: { time: string; value: number | null }[];
}

async function courses(told: CountedFigures): Promise<void> {
  const window = `start_time=${iso(T - STEP_MS)}&end_time=${iso(T + (STEPS - 1) * STEP_MS)}&buckets=${STEPS}`;
  for (const { name, key, column } of LISTS)
    for (const one of [undefined, '1', '2']) {
      const filter = one === undefined ? '' : `&${key}=${key === 'table_name' ? `t${one}` : one}`;
      const query = `query?connection_id=${told.id}&probe_name=${name}&${window}${filter}`;
      const [sums, rates] = await get<Series[]>(`${query}&metrics=${column},${column}_per_sec`);
      const bounds = expected(told, name, one === undefined ? NAMES : [one]);
      const isKnown = one === undefined || told.shown[name].some(({ rows }) => rows.has(one));
      for (let index = 0; index < STEPS; index += 1) {
        const where = `${name} ${one ?? 'all'}, step ${index}`;
        const [value, rate] = [sums?.data[index]?.value ?? null, rates?.data[index]?.value ?? null];
        const bound = bounds[index];
        if (!bound) expect(value, `${where}: a hole`).toBeNull();
        else if (value === null) expect(bound.isHole === false && isKnown, `${where}: no hole`).toBe(false);
        else {
          expect(value, where).toBeLessThanOrEqual(bound.most + NEAR);
          expect(value, where).toBeGreaterThanOrEqual(bound.least - NEAR);
          expect((rate ?? Number.NaN) * (STEP_MS / 1000), `${where}, rate`).toBeCloseTo(value, 3);
        }
      }
    }
}

async function totals(told: CountedFigures): Promise<void> {
  const window = `start_time=${iso(T - STEP_MS)}&end_time=${iso(T + STEPS * STEP_MS)}`;
  const rows = await get<{ queryid: string; calls: number }[]>(
    `top-queries?connection_id=${told.id}&${window}&limit=100`,
  );
  for (const name of NAMES) {
    const calls = rows.find(({ queryid }) => queryid === name)?.calls ?? 0;
    let [least, most] = [0, 0];
    for (const bound of expected(told, 'pg_stat_statements', [name])) {
      most += bound?.most ?? 0;
      if (bound?.isHole === false) least += bound.least;
    }
    expect(calls, `calls of ${name}`).toBeLessThanOrEqual(most + NEAR * STEPS);
    expect(calls, `calls of ${name}`).toBeGreaterThanOrEqual(least - NEAR * STEPS);
  }
}

it('tells of counters all that readings prove, and nothing beyond the truth', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (one) => {
      const told = await play(one);
      await courses(told);
      await totals(told);
    }),
    { numRuns: isProof() ? 100 : 8, ...(isProof() ? {} : { seed: 20_261_128 }), endOnFailure: true },
  );
});

it('tells the same of what is packed', { timeout: 600_000 }, async () => {
  const [one = expect.fail()] = fc.sample(scene, { numRuns: 1, seed: 4711 });
  const layouts = probes.flatMap((probe) => layoutOf(probe) ?? []);
  // Also where the last hour is all that was read of its day.
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  const begins = [midnight + 8 * HOUR_MS, midnight - 2 * HOUR_MS];
  const histories: CountedFigures[] = [];
  for (T of begins) histories.push(await play(one));
  // While the day is not over, and after it.
  for (const now of [midnight + 13 * HOUR_MS, midnight + 2 * DAY_MS])
    expect((await runCompaction({ db: test.db, layouts, now })).problems).toEqual([]);
  for (const [index, told] of histories.entries()) {
    T = begins[index] ?? expect.fail();
    await courses(told);
    await totals(told);
  }
});
