// What the removal of an index brought. Pure. Guards: only a whole list of the indexes of its database proves that it is gone.
import type { Facts } from './facts.ts';
import type { Gone } from './types.ts';

/** As many as the probe reads: there may be more. */
const MOST_LISTED = 10_000;

/** 0: the index is gone. Null: nobody can tell, also while it still stands in a list that may be older. */
export function sizeWhenGone(facts: Facts, { database_name, object_key }: Gone): number | null {
  const listed = facts.rows('pg_stat_all_indexes').filter((item) => item.database_name === database_name);
  if (listed.length === 0 || listed.length >= MOST_LISTED) return null;
  return listed.some((item) => item.text('indexrelid') === object_key) ? null : 0;
}
