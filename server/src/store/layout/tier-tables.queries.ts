// The register of the tables beside those of samples and ticks: packed hours and days, and rollups by tier.
import { type Sql, sql } from '../../kernel/sql.ts';

export interface TierTable {
  table_name: string;
  probe: string;
  tier: 'packed' | 'm1' | 'm15' | 'h1' | 'm15p' | 'h1p';
  retention_days: number;
  /** Its rows name objects. */
  names_objects: boolean;
  /** The longest that any connection keeps it; null before the maintenance job has looked. */
  longest_retention_days: number | null;
  /** Milliseconds since the epoch. */
  filled_until: number | null;
}

export const tierTables = sql`
  /* store.tier_tables */
  select
    table_name, probe, tier, retention_days, names_objects, longest_retention_days,
    (extract(epoch from filled_until) * 1000)::bigint as filled_until
  from matriarch.tier_tables
  order by table_name`;

export const registerTier = (of: Omit<TierTable, 'filled_until' | 'longest_retention_days'>): Sql => sql`
  /* store.register_tier */
  insert into matriarch.tier_tables (table_name, probe, tier, retention_days, names_objects)
  values (${of.table_name}, ${of.probe}, ${of.tier}, ${of.retention_days}, ${of.names_objects})
  on conflict (table_name) do update
  set retention_days = excluded.retention_days, names_objects = excluded.names_objects`;

/** Columns of each of these tables that is there: {table_name, columns}. */
export const tableColumns = (names: readonly string[]): Sql => sql`
  /* store.tier_columns */
  select c.relname as table_name, array_agg(a.attname::text) as columns
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'metrics'::regnamespace and c.relname = any (${names}::text[])
  group by c.relname`;
