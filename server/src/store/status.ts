// How the store is doing: bytes and rows of each probe and day, what will be dropped next, how the disk will grow, and
// whether anything outlives its policy. Read by the command line; the figures are those of the datastore's catalogs.
import type { Db } from '../kernel/db.ts';
import { identifier, sql } from '../kernel/sql.ts';
import { plain } from './engine/plain.ts';
import { DAY_MS, dayOf, type Engine, type PartitionSize } from './engine/types.ts';
import { type KnownGap, knownGaps, type SpoolRow, spools } from './gaps.queries.ts';
import { datastoreNow } from './history.queries.ts';
import { type JobRow, type Policy, policies, readJob } from './maintenance.queries.ts';
import { MAINTENANCE_JOB } from './maintenance.ts';
import { expired } from './retention.ts';

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

export interface StoreStatus {
  size_bytes: number;
  tables: TableStatus[];
  /** Once every table is as old as its retention; null while no whole day was seen. */
  forecast_bytes: number | null;
  last_maintained_at: string | null;
  /** Of the collectors that live. */
  spools: SpoolRow[];
  /** The newest times of which samples had to be given up. */
  known_gaps: KnownGap[];
}

const DAYS_FOR_FORECAST = 3;
const MOST_GAPS = 20;

function perDay(partitions: readonly PartitionSize[], now: number): number | null {
  const today = dayOf(now);
  const whole = partitions
    .filter(({ day, size_bytes }) => day < today && size_bytes > 0)
    .slice(-DAYS_FOR_FORECAST);
  if (whole.length === 0) return null;
  return Math.round(whole.reduce((sum, { size_bytes }) => sum + size_bytes, 0) / whole.length);
}

function statusOf(policy: Policy, partitions: readonly PartitionSize[], now: number): TableStatus {
  const { probe, table_name, layout, retention_days } = policy;
  const counted = partitions.filter(({ rows }) => rows !== null);
  const oldest = partitions[0]?.day;
  return {
    probe,
    table_name,
    layout,
    retention_days,
    partitions: partitions.length,
    size_bytes: partitions.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    rows: counted.length === 0 ? null : counted.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
    bytes_per_day: perDay(partitions, now),
    next_drop_at:
      oldest === undefined || oldest > now
        ? null
        : new Date(oldest + (retention_days + 1) * DAY_MS).toISOString(),
    overdue: expired(partitions, retention_days + 1, now).map(({ name }) => name),
  };
}

/** `now` in milliseconds since the epoch, instead of the datastore's time. */
export async function storeStatus(
  db: Db,
  options: { engine?: Engine; now?: number } = {},
): Promise<StoreStatus> {
  const { engine = plain } = options;
  const now = options.now ?? (await db.one<{ now: number }>(datastoreNow)).now;
  const all = await db.rows<Policy>(policies);
  const names = all.map(({ table_name }) => table_name);
  const sizes = await engine.sizes(db, names);
  const job = await db.maybe<JobRow>(readJob(MAINTENANCE_JOB));
  const tables = all.map((policy) =>
    statusOf(
      policy,
      sizes.filter(({ table }) => table === policy.table_name),
      now,
    ),
  );
  const grown = tables.filter(({ bytes_per_day }) => bytes_per_day !== null);
  const forecast = grown.reduce(
    (sum, { bytes_per_day, retention_days }) => sum + (bytes_per_day ?? 0) * (retention_days + 1),
    0,
  );
  return {
    size_bytes: tables.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    tables,
    forecast_bytes: grown.length === 0 ? null : forecast,
    last_maintained_at: job?.last_run_at ?? null,
    spools: await db.rows<SpoolRow>(spools),
    known_gaps: await db.rows<KnownGap>(knownGaps(MOST_GAPS)),
  };
}

export interface Check {
  what: string;
  /** Null: all is well. Otherwise what is wrong. */
  problem: string | null;
}

/** How many there are of something that should not be, as a sentence. */
const none = (n: number, what: string) => (n === 0 ? null : `${n} ${what}`);

async function unnamed(db: Db, table: string, kind: string): Promise<number> {
  const { n } = await db.one<{ n: number }>(sql`
    /* store.verify_names */
    select count(*) as n
    from (
      select distinct t.connection_id, u.object_id
      from metrics.${identifier(table)} t
      cross join lateral unnest(t.object_ids) as u (object_id)
    ) t
    left join metrics.objects o
      on o.connection_id = t.connection_id and o.object_id = t.object_id and o.kind = ${kind}
    where o.object_id is null`);
  return n;
}

/** Looks for what must never be: old partitions, days to come that are missing, objects without a name. */
export async function verifyStore(db: Db, options: { engine?: Engine; now?: number } = {}): Promise<Check[]> {
  const { engine = plain } = options;
  const now = options.now ?? (await db.one<{ now: number }>(datastoreNow)).now;
  const { tables } = await storeStatus(db, { engine, now });
  const partitions = await engine.partitions(
    db,
    tables.map(({ table_name }) => table_name),
  );
  const checks: Check[] = [];
  for (const { table_name, overdue, layout, probe } of tables) {
    const days = new Set(partitions.filter(({ table }) => table === table_name).map(({ day }) => day));
    const ahead = [1, 2].filter((n) => !days.has(dayOf(now) + n * DAY_MS)).length;
    checks.push(
      { what: `${table_name}: retention`, problem: none(overdue.length, 'partitions outlive their policy.') },
      { what: `${table_name}: days ahead`, problem: none(ahead, 'of the next two days have no partition.') },
    );
    if (layout === 'objects')
      checks.push({
        what: `${table_name}: names`,
        problem: none(await unnamed(db, table_name, probe), 'objects are not in the dictionary.'),
      });
  }
  return checks;
}
