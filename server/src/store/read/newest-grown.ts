// What objects of many databases grew in the last hour, for metrics that ask which of them stand out. Guards: metrics that are
// made of the same counters read them once, in two statements: how often the probe runs, and what grew.
import { type Db, errorCode } from '../../kernel/db.ts';
import { least } from '../../kernel/lists.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { IncreaseRatio, MetricValue as Value } from '../../probes/metric-types.ts';
import type { Metric } from '../../probes/metrics.ts';
import { gapSeconds } from '../layout/gap-rule.ts';
import { readIntervals } from '../layout/intervals.ts';
import { layoutOf } from '../layout/table-layout.ts';
import type { Entity } from './last-hours.ts';
import { type GrownRead, type GrownRow, grownInHour } from './newest-grown.queries.ts';
import type { NewestMetricQuery } from './newest-metric.ts';

const UNDEFINED_TABLE = '42P01';

/** What grew in the last hour, added up where it is stored. */
async function grownIn(
  db: Db,
  query: NewestMetricQuery,
  asked: Pick<GrownRead, 'ratio' | 'above' | 'share'>,
) {
  const { probe, connection_ids, now } = query;
  const layout = layoutOf(probe);
  if (!layout || connection_ids.length === 0) return [];
  const intervals = await readIntervals(db);
  const from = now - HOUR_MS;
  // The first increases of the hour may have begun in the hour before it, at the interval of then.
  const byGap = Map.groupBy(connection_ids, (id) =>
    gapSeconds(intervals.within(layout, id, { from: from - HOUR_MS, to: now })),
  );
  const paces = [...byGap].map(([gap_seconds, own]) => ({ connection_ids: own, gap_seconds }));
  try {
    return await db.rows<GrownRow>(grownInHour({ ...asked, layout, from, to: now, paces }));
  } catch (error) {
    // Until a collector has begun there is no table, and nothing grew.
    if (errorCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

type ObjectsAbove = Extract<Value, { kind: 'objects above' }>;
type TimesBefore = Extract<Value, { kind: 'times before' }>;

export interface Large extends Entity {
  /** Milliseconds since the epoch. */
  at: number;
  /** Increases of the columns of the ratio, in their order. */
  values: number[];
}

const isSame = (a: IncreaseRatio, b: IncreaseRatio) =>
  JSON.stringify([a.of, a.to]) === JSON.stringify([b.of, b.to]);

/** Of one round of questions: metrics that are made of the same counters of objects read them once. */
export class Grown {
  readonly #db: Db;
  readonly #metrics: readonly Value[];
  readonly #known = new Map<string, Promise<GrownRow[]>>();

  constructor(db: Db, metrics: readonly Metric[]) {
    this.#db = db;
    this.#metrics = metrics.map(({ value }) => value);
  }

  #of(query: NewestMetricQuery, ratio: IncreaseRatio): Promise<GrownRow[]> {
    const key = JSON.stringify([ratio.of, ratio.to]);
    const known = this.#known.get(key) ?? grownIn(this.#db, query, { ratio, ...this.#wanted(ratio) });
    this.#known.set(key, known);
    return known;
  }

  #wanted(ratio: IncreaseRatio): Pick<GrownRead, 'above' | 'share'> {
    const shares = this.#metrics.flatMap((one) =>
      one.kind === 'times before' && isSame(one.ratio, ratio) ? [one.share] : [],
    );
    return {
      above: this.#metrics.flatMap((one) =>
        one.kind === 'objects above' && isSame(one.ratio, ratio) ? [one] : [],
      ),
      share: shares.length > 0 ? least(shares) : undefined,
    };
  }

  /** How many objects of each database that was measured are above. */
  async above(query: NewestMetricQuery, value: ObjectsAbove): Promise<(GrownRow & { count: number })[]> {
    const rows = await this.#of(query, value.ratio);
    const place = this.#wanted(value.ratio).above.indexOf(value);
    return rows.map((row) => ({ ...row, count: row.above[place] ?? 0 }));
  }

  /** Objects that have that share of all of their database, with the values of the ratio. */
  async large(query: NewestMetricQuery, { ratio, share }: TimesBefore): Promise<Large[]> {
    const rows = await this.#of(query, ratio);
    return rows.flatMap(({ large, whole, ...run }) =>
      large.flatMap(([id, ...values]) => {
        const size = values.slice(0, ratio.of.length).reduce((sum, one) => sum + one, 0);
        return size * 100 >= share * whole ? [{ ...run, group: String(id), values }] : [];
      }),
    );
  }
}
