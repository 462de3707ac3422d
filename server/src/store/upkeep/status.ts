// How the store is doing: bytes and rows of each probe and day, what will be dropped next, how the disk will grow, and
// whether anything outlives its policy. Read by the command line; the figures are those of the datastore's catalogs.
import type { Db } from '../../kernel/db.ts';
import { type JobRow, readJob } from '../../kernel/jobs.queries.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { engineOf } from '../layout/engine/open.ts';
import {
  dayOf,
  type Engine,
  type EngineName,
  type PartitionSize,
  type TableSize,
} from '../layout/engine/types.ts';
import { type Policy, policies } from '../layout/policies.queries.ts';
import { datastoreNow } from '../layout/retention.queries.ts';
import { expired } from '../layout/retention.ts';
import { type TierTable, tierTables } from '../layout/tier-tables.queries.ts';
import { type KnownGap, knownGaps, type SpoolRow, spools } from '../spool/gaps.queries.ts';
import { firstWholeDay, forecastOfAll, storeForecast } from './forecast.ts';
import { MAINTENANCE_JOB } from './maintenance.ts';

export interface TableStatus {
  probe: string;
  table_name: string;
  layout: 'samples' | 'objects';
  retention_days: number;
  partitions: number;
  size_bytes: number;
  /** As the server estimates it; null when it never looked at any partition with data. */
  rows: number | null;
  /** Of the newest whole days, null before there is one. */
  bytes_per_day: number | null;
  /** When the oldest partition is due to go; null without partitions of the past. */
  next_drop_at: string | null;
  /** Partitions that outlive their policy by more than a day. */
  overdue: string[];
}

/** Packed hours and rollups of a probe. */
export interface TierStatus {
  probe: string;
  table_name: string;
  tier: TierTable['tier'];
  retention_days: number;
  partitions: number;
  size_bytes: number;
  rows: number | null;
  /** Everything before is there, but for what arrived later. */
  filled_until: string | null;
  overdue: string[];
}

export interface StoreStatus {
  /** What keeps the metrics: plain PostgreSQL, Citus or TimescaleDB. */
  engine: EngineName;
  /** Of everything below, on every server that keeps a part of it. */
  size_bytes: number;
  tables: TableStatus[];
  tiers: TierStatus[];
  /** Names of objects, texts, newest rows, history of facts. */
  dictionaries: TableSize[];
  /** In a year, by the last whole days; null while nobody knows. */
  forecast_bytes: number | null;
  last_maintained_at: string | null;
  /** Of the collectors that live. */
  spools: SpoolRow[];
  /** The newest times of which samples had to be given up. */
  known_gaps: KnownGap[];
}

/** Tables beside those of the probes. */
const DICTIONARIES = [
  'metrics.objects',
  'metrics.queries',
  'metrics.facts',
  'metrics.current_snapshots',
  'matriarch.packed_layouts',
  'matriarch.batch_ledger',
];

const DAYS_FOR_FORECAST = 3;
const MOST_GAPS = 20;

function perDay(policy: Policy, partitions: readonly PartitionSize[], now: number): number | null {
  const today = dayOf(now);
  const begin = firstWholeDay(partitions, policy, now);
  const whole = partitions
    .filter(({ day, until, is_empty }) => day >= begin && until <= today && !is_empty)
    .slice(-DAYS_FOR_FORECAST);
  if (whole.length === 0) return null;
  return Math.round(whole.reduce((sum, { size_bytes }) => sum + size_bytes, 0) / whole.length);
}

/** What is there of one table; rows are null when the server never looked at any partition with data. */
function extentOf(partitions: readonly PartitionSize[]) {
  const counted = partitions.filter(({ rows }) => rows !== null);
  return {
    partitions: partitions.length,
    size_bytes: partitions.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    rows: counted.length === 0 ? null : counted.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
  };
}

const namesOf = (partitions: readonly PartitionSize[], days: number, now: number) =>
  expired(partitions, days, now).map(({ name }) => name);

function tierStatus(of: TierTable, partitions: readonly PartitionSize[], now: number): TierStatus {
  const { probe, table_name, tier, filled_until } = of;
  const retention_days = of.longest_retention_days ?? of.retention_days;
  return {
    probe,
    table_name,
    tier,
    retention_days,
    ...extentOf(partitions),
    filled_until: filled_until === null ? null : new Date(filled_until).toISOString(),
    overdue: namesOf(partitions, retention_days + 1, now),
  };
}

function statusOf(policy: Policy, partitions: readonly PartitionSize[], now: number): TableStatus {
  const { probe, table_name, layout } = policy;
  const retention_days = policy.longest_retention_days ?? policy.retention_days;
  const oldest = partitions[0];
  return {
    probe,
    table_name,
    layout,
    retention_days,
    ...extentOf(partitions),
    bytes_per_day: perDay(policy, partitions, now),
    next_drop_at:
      oldest === undefined || oldest.day > now
        ? null
        : new Date(oldest.until + retention_days * DAY_MS).toISOString(),
    overdue: namesOf(partitions, retention_days + 1, now),
  };
}

/** `now` in milliseconds since the epoch, instead of the datastore's time. */
export async function storeStatus(
  db: Db,
  options: { engine?: Engine; now?: number } = {},
): Promise<StoreStatus> {
  const { engine = engineOf(db) } = options;
  const now = options.now ?? (await db.one<{ now: number }>(datastoreNow)).now;
  const raw = await db.rows<Policy>(policies);
  const packed = await db.rows<TierTable>(tierTables);
  const names = [...raw, ...packed].map(({ table_name }) => table_name);
  const sizes = Map.groupBy(await engine.sizes(db, names), ({ table }) => table);
  const of = ({ table_name }: { table_name: string }) => sizes.get(table_name) ?? [];
  const job = await db.maybe<JobRow>(readJob(MAINTENANCE_JOB));
  const tables = raw.map((policy) => statusOf(policy, of(policy), now));
  const tiers = packed.map((tier) => tierStatus(tier, of(tier), now));
  const dictionaries = (await engine.tableSizes(db, DICTIONARIES)).map((one) => ({
    ...one,
    name: one.name.slice(one.name.indexOf('.') + 1),
  }));
  const forecasts = await storeForecast(db, { engine, now });
  return {
    engine: engine.name,
    size_bytes: [...tables, ...tiers, ...dictionaries].reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    tables,
    tiers,
    dictionaries,
    forecast_bytes: forecastOfAll(forecasts, (one) => one.in_365_days_bytes).bytes,
    last_maintained_at: job?.last_run_at ?? null,
    spools: await db.rows<SpoolRow>(spools),
    known_gaps: await db.rows<KnownGap>(knownGaps(MOST_GAPS)),
  };
}
