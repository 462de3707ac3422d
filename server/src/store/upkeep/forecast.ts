// How much disk the store will need: from what the last whole days brought to raw, packed and rolled-up tables, and
// from how long each is kept. Guards: a probe that has no whole day yet is unknown, not nothing.
import type { Db } from '../../kernel/db.ts';
import { engineOf } from '../layout/engine/open.ts';
import { DAY_MS, dayOf, type Engine, type PartitionSize } from '../layout/engine/types.ts';
import { datastoreNow } from '../layout/now.queries.ts';
import { type Policy, policies } from '../layout/policies.queries.ts';
import { type TierTable, tierTables } from '../layout/tier-tables.queries.ts';

export const FORECAST_DAYS = [7, 30, 365] as const;
const LOOK_BACK_DAYS = 7;

/** One table, over time. */
export interface Growth {
  size_bytes: number;
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
  const { size_bytes, bytes_per_day, retention_days, age_days, is_passing } = growth;
  if (is_passing) return size_bytes;
  if (bytes_per_day === null) return size_bytes === 0 ? 0 : null;
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

function growthOf(table: Kept, partitions: readonly PartitionSize[], now: number): Growth {
  const filled = partitions.filter(({ size_bytes, rows }) => size_bytes > 0 && rows !== 0);
  const today = dayOf(now);
  const spans = filled.flatMap(({ day, until, size_bytes }) => {
    const days = (Math.min(until, today) - day) / DAY_MS;
    return days >= 1 && until > today - LOOK_BACK_DAYS * DAY_MS ? [{ days, size_bytes }] : [];
  });
  const days = spans.reduce((sum, span) => sum + span.days, 0);
  const bytes = spans.reduce((sum, span) => sum + span.size_bytes, 0);
  const oldest = filled[0]?.day ?? today;
  return {
    size_bytes: partitions.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    bytes_per_day: days === 0 ? null : bytes / days,
    retention_days: table.retention_days,
    age_days: (today - oldest) / DAY_MS + 1,
    is_passing: table.is_passing,
  };
}

const total = (values: readonly (number | null)[]) =>
  values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);

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
    const growths = own.map((table) =>
      growthOf(
        table,
        sizes.filter(({ table: name }) => name === table.table_name),
        now,
      ),
    );
    const [week, month, year] = FORECAST_DAYS.map((days) =>
      total(growths.map((one) => forecastOf(one, days))),
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
