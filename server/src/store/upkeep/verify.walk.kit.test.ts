// A store is collected into, stopped, restarted and packed at odd times, by probes of several kinds and paces. Whatever
// it has been through, verification finds nothing: neither in the middle nor in the end. Everyday one short life.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { defineProbe, type Probe } from '../../probes/types.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { isProof } from '../../testing/tier.ts';
import { runCompaction } from '../compact/compact.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import { ensureTables } from '../layout/tables.ts';
import type { Row } from '../layout/types.ts';
import type { MetricsWriter } from '../write/writer.ts';
import { verifyStore } from './verify.ts';

const common = { level: 'S', retentionDays: 7, keeps: 'samples', sql: () => 'select' } as const;
const waiting = (name: string) =>
  [
    { name: 'pid', type: 'integer', kind: 'key', description: 'Who.' },
    { name, type: 'double precision', kind: 'gauge', unit: 'seconds', description: 'How long.' },
  ] as const;

/** Rows only while somebody waits; rarer while nobody does. */
const LOCKS = defineProbe({
  ...common,
  name: 'test_locks',
  description: 'Who waits.',
  intervalSeconds: 10,
  adaptive: { slowestSeconds: 60, busy: { column: 'pid', value: '1' } },
  columns: waiting('waiting_seconds'),
});
const RARE = defineProbe({
  ...common,
  name: 'test_rare',
  description: 'Hardly ever.',
  intervalSeconds: 3600,
  columns: [
    { name: 'kind', type: 'text', kind: 'key', description: 'Which.' },
    { name: 'reads', type: 'bigint', kind: 'counter', unit: 'count', description: 'Counts.' },
    { name: 'age', type: 'double precision', kind: 'gauge', unit: 'seconds', description: 'A level.' },
  ],
});
const FAST = defineProbe({
  ...common,
  keeps: 'objects',
  name: 'test_fast',
  description: 'Statements.',
  intervalSeconds: 10,
  columns: [
    { name: 'id', type: 'bigint', kind: 'key', description: 'Which.' },
    { name: 'took', type: 'double precision', kind: 'counter', unit: 'ms', description: 'Time.' },
    { name: 'mean_took', type: 'double precision', kind: 'gauge', unit: 'ms', description: 'A mean.' },
  ],
});
const PROBES: readonly Probe[] = [SERVER, TABLES, LOCKS, RARE, FAST];
const layouts = PROBES.map(layoutOf).filter((layout): layout is TableLayout => layout !== undefined);

type Step =
  | { do: 'collect'; minutes: number; sparse: number; paces: number[] }
  | { do: 'stop'; minutes: number }
  | { do: 'restart'; server_instance: boolean }
  | { do: 'interval'; probe: number; factor: number }
  | { do: 'hold' | 'deliver' | 'compact' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('collect' as const),
      minutes: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 40, max: 200 })),
      sparse: fc.constantFrom(0, 0, 0.5, 0.95, 0.99),
      paces: fc.array(fc.constantFrom(1, 1, 1, 2, 3.3, 6), { minLength: 5, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('stop' as const),
      minutes: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 20, max: 500 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restart' as const), server_instance: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('interval' as const),
      probe: fc.nat(4),
      factor: fc.constantFrom(0.5, 2, 10),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('hold', 'deliver', 'compact', 'compact') }) },
);

/** One life of a store; the time is that of the walk. */
class Walk {
  readonly #store: Storing;
  readonly #id: number;
  readonly #intervals = new Map(PROBES.map((probe) => [probe.name, probe.intervalSeconds]));
  readonly #next = new Map<string, number>();
  #now: number;
  #dice: number;
  #reads = 100;
  #serverInstance = 1;
  #isHeld = false;
  #writer: MetricsWriter;

  constructor(store: Storing, of: { id: number; now: number; seed: number }) {
    this.#store = store;
    this.#id = of.id;
    this.#now = of.now;
    this.#dice = of.seed;
    this.#writer = this.#start();
  }

  #start(): MetricsWriter {
    // It writes when told to: what is late was told of by its collector before, and in order.
    return this.#store.writer({ probes: PROBES, flushMs: 1e9 });
  }

  #random(): number {
    this.#dice = (this.#dice * 1_103_515_245 + 12_345) % 2_147_483_648;
    return this.#dice / 2_147_483_648;
  }

  #rows(probe: Probe): Row[] {
    this.#reads += Math.floor(this.#random() * 50);
    const some = () => Math.round(this.#random() * 1000) / 7;
    const few = [1, 2, 3, 4, 5].filter(() => this.#random() < 0.7);
    if (probe === TABLES)
      return few.map((n) => tableRow(n, { ins: this.#reads * n, size: 8192 * Math.floor(some()) }));
    if (probe === FAST)
      return few.map((n) => ({ id: 1000 - n * 7, took: this.#reads * 0.1 * n, mean_took: some() }));
    if (probe === LOCKS) return few.map((n) => ({ pid: n, waiting_seconds: some() }));
    if (probe === RARE) return few.map((n) => ({ kind: `k${n}`, reads: this.#reads * n, age: some() }));
    return few.map((n) => ({ kind: `k${n}`, reads: this.#reads * n, load: some(), stats_reset: null }));
  }

  async #collect({ minutes, sparse, paces }: Extract<Step, { do: 'collect' }>): Promise<void> {
    const until = this.#now + minutes * MINUTE_MS;
    for (const [index, probe] of PROBES.entries()) {
      const { name: key } = probe;
      let at = Math.max(this.#next.get(key) ?? 0, this.#now);
      const pace = 1000 * (this.#intervals.get(key) ?? 60) * (paces[index] ?? 1);
      const isObjects = probe.keeps === 'objects';
      for (; at < until; at += pace) {
        if (!isObjects && this.#random() < sparse) continue;
        const of = {
          connection_id: this.#id,
          at: Math.round(at),
          server_instance: `i${this.#serverInstance}`,
        };
        const database = probe === TABLES ? { database_name: 'shop' } : {};
        this.#writer.add(keptRun(probe, { ...of, ...database, rows: this.#rows(probe) }));
      }
      this.#next.set(key, at);
    }
    this.#now = until;
    if (!this.#isHeld) await this.#writer.flush();
  }

  async #setInterval({ probe: index, factor }: Extract<Step, { do: 'interval' }>): Promise<void> {
    const probe = PROBES[index] ?? SERVER;
    const seconds = Math.max(1, Math.round(probe.intervalSeconds * factor));
    this.#intervals.set(probe.name, seconds);
    await this.#store.db.run(sql`
      insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
      values ('server', ${this.#id}, ${probe.name}, true, ${seconds}, 7)
      on conflict (scope, scope_id, probe_name) do update set interval_seconds = excluded.interval_seconds`);
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'collect') return this.#collect(step);
    if (step.do === 'interval') return this.#setInterval(step);
    if (step.do === 'compact') return this.compact();
    if (step.do === 'stop') this.#now += step.minutes * MINUTE_MS;
    if (step.do === 'hold') this.#isHeld = true;
    if (step.do === 'deliver') await this.#deliver();
    if (step.do === 'restart') {
      await this.end();
      this.#writer = this.#start();
      if (step.server_instance) this.#serverInstance += 1;
    }
  }

  async #deliver(): Promise<void> {
    this.#isHeld = false;
    await this.#writer.flush();
  }

  async compact(): Promise<void> {
    const { problems } = await runCompaction({ db: this.#store.db, layouts, now: this.#now });
    expect(problems).toEqual([]);
  }

  async end(): Promise<void> {
    await this.#deliver();
    await this.#writer.stop();
  }

  /** Partitions of days to come are another matter. */
  async problems(): Promise<string[]> {
    const checks = await verifyStore(this.#store.db, { layouts, now: this.#now });
    return checks.flatMap(({ what, problem }) =>
      problem === null || !/: (contents|rollups)$/.test(what) ? [] : [`${what}: ${problem}`],
    );
  }

  wait(ms: number): void {
    this.#now += ms;
  }
}

async function live(steps: readonly Step[], seed: number): Promise<void> {
  const store = await storing();
  try {
    for (const { name, intervalSeconds, retentionDays } of PROBES)
      await store.db.run(sql`
        insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
        values (${name}, ${intervalSeconds}, ${retentionDays})`);
    expect((await ensureTables(store.db, PROBES)).problems).toEqual(new Map());
    const { now } = await store.db.one<{ now: number }>(
      sql`select (extract(epoch from date_trunc('hour', now(), 'UTC')) * 1000)::bigint as now`,
    );
    const walk = new Walk(store, { id: await store.leased(), now: now - 48 * HOUR_MS, seed });
    for (const step of steps) {
      await walk.take(step);
      expect(await walk.problems()).toEqual([]);
    }
    await walk.end();
    for (const ms of [0, 7 * MINUTE_MS, 4 * HOUR_MS, 30 * HOUR_MS]) {
      walk.wait(ms);
      await walk.compact();
      expect(await walk.problems()).toEqual([]);
    }
  } finally {
    await store.close();
  }
}

it('verifies clean whatever it has been through', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 6, maxLength: isProof() ? 14 : 8 }),
      fc.nat(1_000_000),
      live,
    ),
    { numRuns: isProof() ? 3 : 1, endOnFailure: true },
  );
});
