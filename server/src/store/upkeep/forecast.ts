// How much disk the store will need: from what the last whole days brought to raw, packed and rolled-up tables, and
// from how long each is kept. Guards: a probe that has no whole day yet is unknown, not nothing.
import type { Db } from '../../kernel/db.ts';
import { least } from '../../kernel/lists.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { engineOf } from '../layout/engine/open.ts';
import { dayOf, type Engine, type PartitionSize } from '../layout/engine/types.ts';
import { type Policy, policies } from '../layout/policies.queries.ts';
import { datastoreNow } from '../layout/retention.queries.ts';
import { type TierTable, tierTables } from '../layout/tier-tables.queries.ts';

const FORECAST_DAYS = [7, 30, 365] as const;
const LOOK_BACK_DAYS = 7;

/** One table, over time. */
export interface Growth {
  size_bytes: number;
  is_empty: boolean;
  /** Of the newest whole days; null before there is one. */
  bytes_per_day: number | null;
  retention_days: number;
  /** Days that the oldest data has been there, today included. */
  age_days: number;
  /** Rows leave it once they are packed. */
  is_passing: boolean;
}

/** Bytes in so many days: what comes, less what retention takes; never more than retention holds. */
export function forecastOf(growth: Growth, days: number): number | null {
  const { size_bytes, is_empty, bytes_per_day, retention_days, age_days, is_passing } = growth;
  if (is_passing) return size_bytes;
  if (bytes_per_day === null) return is_empty ? size_bytes : null;
  const room = Math.max(0, retention_days + 1 - age_days);
  return Math.round(size_bytes + bytes_per_day * Math.min(days, room));
}

export interface ProbeForecast {
  probe: string;
  /** Raw, packed and rolled up. */
  size_bytes: number;
  /** In 7, 30 and 365 days; null while nobody knows. */
  in_7_days_bytes: number | null;
  in_30_days_bytes: number | null;
  in_365_days_bytes: number | null;
}

/** As long as anybody keeps it: what others keep for less is not told apart here. */
const keptFor = (of: { retention_days: number; longest_retention_days: number | null }) => ({
  retention_days: of.longest_retention_days ?? of.retention_days,
});

type Kept = Pick<TierTable, 'table_name' | 'probe' | 'retention_days'> & { is_passing: boolean };

/**
 * The first day that was collected from its beginning: the one after the first day with rows. Of partitions of a month,
 * and of a probe whose first days are gone already, nobody can tell, and then their own begin counts.
 */
export function firstWholeDay(
  partitions: readonly PartitionSize[],
  table: { retention_days: number },
  now: number,
): number {
  const daily = partitions.filter(({ day, until, is_empty }) => !is_empty && until - day === DAY_MS);
  const first = least(daily.map(({ day }) => day));
  const isWholeTime = first > dayOf(now) - table.retention_days * DAY_MS;
  return isWholeTime ? first + DAY_MS : -Infinity;
}

/** What one table has brought in whole days; `begin`: the first of them. */
export function growthOf(
  table: Kept,
  partitions: readonly PartitionSize[],
  { now, begin }: { now: number; begin: number },
): Growth {
  const filled = partitions.filter(({ is_empty }) => !is_empty);
  const today = dayOf(now);
  const spans = filled.flatMap(({ day, until, size_bytes }) => {
    const days = (Math.min(until, today) - Math.max(day, begin)) / DAY_MS;
    return days >= 1 && until > today - LOOK_BACK_DAYS * DAY_MS ? [{ days, size_bytes }] : [];
  });
  const days = spans.reduce((sum, span) => sum + span.days, 0);
  const bytes = spans.reduce((sum, span) => sum + span.size_bytes, 0);
  const oldest = Math.max(filled[0]?.day ?? today, Number.isFinite(begin) ? begin - DAY_MS : 0);
  return {
    size_bytes: partitions.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    is_empty: filled.length === 0,
    bytes_per_day: days === 0 ? null : bytes / days,
    retention_days: table.retention_days,
    age_days: (today - oldest) / DAY_MS + 1,
    is_passing: table.is_passing,
  };
}

const total = (values: readonly (number | null)[]) =>
  values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);

/** Of all probes together; those without a whole day count with what they are now, and are counted. */
export function forecastOfAll(
  probes: readonly ProbeForecast[],
  read: (probe: ProbeForecast) => number | null,
): { bytes: number | null; unknown: number } {
  const unknown = probes.filter((probe) => read(probe) === null).length;
  const isKnown = probes.some((probe) => (read(probe) ?? 0) > 0);
  const bytes = probes.reduce((sum, probe) => sum + (read(probe) ?? probe.size_bytes), 0);
  return { bytes: isKnown || unknown === 0 ? bytes : null, unknown };
}

/** By probe, the largest first. `now` in milliseconds since the epoch, instead of the datastore's time. */
export async function storeForecast(
  db: Db,
  options: { engine?: Engine; now?: number } = {},
): Promise<ProbeForecast[]> {
  const { engine = engineOf(db) } = options;
  const now = options.now ?? (await db.one<{ now: number }>(datastoreNow)).now;
  const tiers = await db.rows<TierTable>(tierTables);
  const packed = new Set(tiers.filter(({ filled_until }) => filled_until !== null).map(({ probe }) => probe));
  const packedTiers = new Set(tiers.map(({ table_name }) => table_name));
  const raw = await db.rows<Policy>(policies);
  const tables: Kept[] = [
    ...raw.map((table) => ({ ...table, ...keptFor(table), is_passing: packed.has(table.probe) })),
    // Days of rollups are packed, too.
    ...tiers.map((table) => ({
      ...table,
      ...keptFor(table),
      is_passing: packedTiers.has(`${table.table_name}p`),
    })),
  ];
  const sizes = await engine.sizes(
    db,
    tables.map(({ table_name }) => table_name),
  );
  const probes = [...new Set(tables.map(({ probe }) => probe))];
  const forecasts = probes.map((probe) => {
    const own = tables.filter((table) => table.probe === probe);
    const of = ({ table_name }: Kept) => sizes.filter(({ table: name }) => name === table_name);
    const begin = least(own.map((table) => firstWholeDay(of(table), table, now)));
    const isEmpty = own.every((table) => of(table).every(({ is_empty }) => is_empty));
    const growths = own.map((table) => growthOf(table, of(table), { now, begin }));
    // What is on its way to be packed tells nothing of what will be there.
    const isKnown = isEmpty || begin < dayOf(now);
    const [week, month, year] = FORECAST_DAYS.map((days) =>
      isKnown ? total(growths.map((one) => forecastOf(one, days))) : null,
    );
    return {
      probe,
      size_bytes: growths.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
      in_7_days_bytes: week ?? null,
      in_30_days_bytes: month ?? null,
      in_365_days_bytes: year ?? null,
    };
  });
  return forecasts.sort((a, b) => b.size_bytes - a.size_bytes || (a.probe < b.probe ? -1 : 1));
}
