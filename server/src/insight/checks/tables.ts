// What checks of tables share: rows of pg_stat_all_tables with their names, and what is being done to them. Pure.
import { greatest } from '../../kernel/lists.ts';
import type { Facts, Item } from './facts.ts';
import type { Gone } from './types.ts';
import { named } from './units.ts';

/** What says which table it is. */
export const TABLE_COLUMNS = ['relid', 'schemaname', 'relname', 'relkind'] as const;

export const tableName = (item: Item): string => named(item.text('schemaname'), item.text('relname'));

/** What names a finding of a table. */
export const ofTable = (item: Item) => ({
  database_name: item.database_name,
  object_name: tableName(item),
  object_key: item.text('relid') ?? tableName(item),
});

/** Tables and materialized views that people made. */
export const isOfPeople = (item: Item): boolean =>
  ['r', 'm'].includes(item.text('relkind') ?? '') &&
  !['pg_catalog', 'information_schema', 'pg_toast'].includes(item.text('schemaname') ?? '');

/** The latest of these times; null: none is known. */
function lastOf(item: Item, ...columns: readonly string[]): number | null {
  const times = columns.flatMap((column) => item.time(column) ?? []);
  return times.length === 0 ? null : greatest(times);
}

export const lastVacuumOf = (item: Item): number | null => lastOf(item, 'last_vacuum', 'last_autovacuum');
export const lastAnalyzeOf = (item: Item): number | null => lastOf(item, 'last_analyze', 'last_autoanalyze');

/**
 * Since when the counters of a table count; null: unknown. Since 19 a table says when its own were reset, and with them the times of its
 * last vacuum and analyze.
 */
export function countedSinceOf(facts: Facts, item: Item): number | null {
  const times = [facts.countedSince(item.database_name), item.time('stats_reset')].filter(
    (at) => at !== null,
  );
  return times.length === 0 ? null : greatest(times);
}

export const isoOrNull = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

/** Tables that a command works at now, by their object ids. */
export const tablesAtWork = (facts: Facts, command: 'VACUUM' | 'ANALYZE'): ReadonlySet<string> =>
  new Set(
    facts
      .rows('pg_stat_progress')
      .filter((item) => item.text('command') === command)
      .flatMap((item) => item.text('relid') ?? []),
  );

/** A table that a finding was about, as it is now. */
export const tableOf = (facts: Facts, { database_name, object_key }: Gone): Item | undefined =>
  facts
    .rows('pg_stat_all_tables')
    .find((item) => item.database_name === database_name && item.text('relid') === object_key);
