// What is usual of a metric: mean, spread and percentiles of the samples of seven days themselves, counters as rates.
// Guards: no rollup stands in for a sample; several databases are combined run by run; two statements.

import type { Db } from '../../kernel/db.ts';
import { greatest, least } from '../../kernel/lists.ts';
import { nextTurn } from '../../kernel/scheduler.ts';
import type { Static } from '../../kernel/schema.ts';
import { WEEK_MS } from '../../kernel/units.ts';
import { formed, isKnownNowOnly, measuredFor } from '../../probes/formula.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import {
  combined,
  layoutOf,
  limitsOf,
  type Question,
  Questions,
  readAllMeasured,
} from '../../store/read/doors/buckets.ts';
import type { MetricBaseline } from './metrics.schemas.ts';

export type Baseline = Static<typeof MetricBaseline>;

export interface BaselinesQuery {
  probe: Probe;
  metrics: readonly Metric[];
  connection_id: number;
  /** Milliseconds since the epoch. */
  now: number;
}

const LEAST_SAMPLES = 30;

/** Linear interpolation between the two samples around; `sorted` is not empty. */
export function percentile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}

function baselineOf(metric: string, values: readonly number[]): Baseline {
  const sorted = [...values].sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return {
    metric,
    mean,
    stddev: Math.sqrt(variance),
    min: least(values),
    max: greatest(values),
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
  };
}

interface Sample {
  value: number;
  /** Of counters the longest time in which an entity grew. */
  seconds: number;
}

/** Samples of a question by database and time, entities put together. */
type Samples = Map<string, Map<number, Sample>>;

function put(
  samples: Samples,
  { database_name: database, at }: { database_name: string; at: number },
  { value, seconds }: Sample,
): void {
  const own = samples.get(database) ?? new Map<number, Sample>();
  samples.set(database, own);
  const before = own.get(at);
  own.set(
    at,
    before ? { value: before.value + value, seconds: Math.max(before.seconds, seconds) } : { value, seconds },
  );
}

/** Run by run: with one database each of its samples; of several those that belong to the same round. */
function rounds({ combine, isCounter }: Question, samples: Samples | undefined, slotMs: number) {
  const databases = [...(samples?.values() ?? [])];
  const slotOf = (at: number) => (databases.length > 1 ? Math.floor(at / 1000 / slotMs) : at);
  const found = new Map<number, Sample[]>();
  for (const own of databases) {
    const bySlot = new Map([...own].map(([at, sample]) => [slotOf(at), sample]));
    for (const [slot, sample] of bySlot) {
      const all = found.get(slot);
      if (all) all.push(sample);
      else found.set(slot, [sample]);
    }
  }
  return new Map(
    [...found].map(([slot, all]) => {
      const value = combined(
        isCounter ? 'sum' : combine,
        all.map((one) => one.value),
      );
      return [slot, { value: value ?? 0, seconds: greatest(all.map(({ seconds }) => seconds)) }] as const;
    }),
  );
}

/** The values of a metric, sample by sample. */
function samplesOf(
  { value }: Metric,
  parts: readonly ReadonlyMap<number, Sample>[],
  limit: number | undefined,
): number[] {
  const [first] = parts;
  return [...(first ?? [])].flatMap(([slot, { seconds }]) => {
    const own = parts.map((part) => part.get(slot)?.value);
    const formedValue = formed(value, own);
    if (formedValue === null) return [];
    const isGrowth = value.kind === 'increase' || value.kind === 'rate';
    if (isGrowth) return seconds > 0 ? [formedValue / seconds] : [];
    if (value.kind !== 'share') return [formedValue];
    return limit === undefined ? [] : [(value.scale * formedValue) / limit];
  });
}

/** In the order asked; metrics with fewer than 30 samples are left out. */
export async function baselines(db: Db, query: BaselinesQuery): Promise<Baseline[]> {
  const { probe, metrics, connection_id, now } = query;
  const layout = layoutOf(probe);
  if (!layout) return [];
  const connection_ids = [connection_id];
  const questions = new Questions({ probe, connection_ids, aggregate: 'avg' }, []);
  const asked = metrics
    .filter((metric) => !isKnownNowOnly(metric))
    .map((metric) => ({ metric, parts: questions.of(measuredFor(probe, metric)) }));
  const heard = new Map<Question, Samples>();
  const from = now - WEEK_MS;
  await readAllMeasured(db, questions.all, {
    windows: [{ from, to: now, buckets: 1 }],
    heard: (question, of, said) => {
      const { at } = of;
      if (at <= from * 1000 || at > now * 1000) return;
      const samples = heard.get(question) ?? new Map();
      heard.set(question, samples);
      put(samples, of, said);
    },
  });
  const share = metrics.find(({ value }) => value.kind === 'share');
  const limits = share ? await limitsOf(db, share, connection_ids) : undefined;
  const slotMs = layout.intervalSeconds * 1000;
  const found: Baseline[] = [];
  for (const { metric, parts } of asked) {
    await nextTurn();
    const own = parts.map((part) => rounds(part, heard.get(part), slotMs));
    const values = samplesOf(metric, own, limits?.get(connection_id));
    if (values.length >= LEAST_SAMPLES) found.push(baselineOf(metric.name, values));
  }
  return found;
}
