// Indexes that nobody has used for a month, here or on any standby. Guards: statistics that began a short while ago prove
// nothing, and a standby that nobody reads may be the one that uses the index.
import { shownValue } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { Facts, Item } from './facts.ts';
import { LARGE_BYTES } from './foreign-key-without-index.ts';
import { sizeWhenGone } from './index-gone.ts';
import { defineCheck, type Problem, type Unknown } from './types.ts';
import { named, qualified } from './units.ts';

/** A month's end and its reports should lie within. */
const LEAST_DAYS = 35;
const LEAST_BYTES = 8 * 1024 ** 2;
const NOTABLE_BYTES = 1024 ** 3;

/** Scans on other members of the cluster; physical standbys share the oids of their primary. */
function scansElsewhere(facts: Facts): ReadonlyMap<string, number> {
  const scans = new Map<string, number>();
  for (const member of facts.members)
    for (const item of member.rows('pg_stat_all_indexes')) {
      const key = `${item.database_name}\n${item.text('schemaname')}.${item.text('indexrelname')}`;
      scans.set(key, (scans.get(key) ?? 0) + (item.number('idx_scan') ?? 0));
    }
  return scans;
}

/** A member whose use of indexes is not known, or which counts for too short a time, could be the one that needs them. */
function blindMembers(facts: Facts): Unknown[] {
  const blind = facts.members.filter((member) => member.databasesRead('pg_stat_all_indexes').size === 0);
  if (blind.length === 0) return [];
  const because = `Index usage on ${blind.length} other member${blind.length > 1 ? 's' : ''} of the cluster is unknown.`;
  return [{ because, mend: null }];
}

function foundOf(item: Item, since: number, now: number): Problem {
  const schema = item.text('schemaname');
  const index = item.text('indexrelname');
  const table = named(schema, item.text('relname'));
  const size = item.number('index_size') ?? 0;
  const days = Math.floor((now - since) / DAY_MS);
  const key = item.text('foreign_key');
  const alone = key === null ? '' : ` Foreign key "${key}" has no other index.`;
  return {
    database_name: item.database_name,
    object_name: named(schema, index),
    object_key: item.text('object_oid') ?? named(schema, index),
    severity: size >= NOTABLE_BYTES ? 'warning' : 'info',
    message: `Index "${named(schema, index)}" of "${table}" has had no scans in ${days} days of statistics and takes ${shownValue(size, 'bytes')}.${alone}`,
    figure: { value: size, unit: 'bytes' },
    evidence: {
      table,
      columns: item.text('column_names'),
      index_size: size,
      idx_scan: item.number('idx_scan'),
    },
    remedy: `drop index concurrently ${qualified(schema, index)};`,
    since,
  };
}

export const check = defineCheck({
  name: 'unused_index',
  category: 'indexes',
  title: 'Unused index',
  figureName: 'index size',
  meaning: 'Every write maintains the index, and no query has used it since the statistics reset.',
  advice: 'Drop it when you can rebuild it if needed.',
  caution:
    'A yearly report may need it. PostgreSQL does not record when an index was created, so it may be new. Keep its definition.',
  source: 'monitoring-stats.html#MONITORING-PG-STAT-ALL-INDEXES-VIEW',
  proof: 'measured',
  where: 'primary',
  comparesMembers: true,
  reads: {
    pg_index_health: [
      'object_oid',
      'finding',
      'schemaname',
      'relname',
      'indexrelname',
      'column_names',
      'foreign_key',
      'table_size',
      'index_size',
      'idx_scan',
      'stats_reset',
    ],
    pg_stat_database: ['datname', 'stats_reset'],
  },
  uses: { pg_stat_all_indexes: ['indexrelid', 'schemaname', 'indexrelname', 'idx_scan'] },
  judge: (facts) => {
    const unused = facts
      .rows('pg_index_health')
      .filter((item) => item.text('finding') === 'unused' && (item.number('index_size') ?? 0) >= LEAST_BYTES)
      .filter(
        (item) =>
          item.text('foreign_key') === null || (item.number('table_size') ?? LARGE_BYTES) < LARGE_BYTES,
      );
    if (unused.length === 0) return { found: [] };
    const blind = blindMembers(facts);
    if (blind.length > 0) return { found: [], unknown: blind };
    const elsewhere = scansElsewhere(facts);
    const found: Problem[] = [];
    const unknown: Unknown[] = [];
    for (const item of unused) {
      const since = item.time('stats_reset') ?? facts.countedSince(item.database_name);
      const key = `${item.database_name}\n${named(item.text('schemaname'), item.text('indexrelname'))}`;
      if ((elsewhere.get(key) ?? 0) > 0) continue;
      if (since === null || facts.now - since < LEAST_DAYS * DAY_MS) {
        const from = since === null ? 'unknown' : new Date(since).toISOString().slice(0, 10);
        const because = `The statistics start at ${from}. An index counts as unused after ${LEAST_DAYS} days.`;
        unknown.push({ because, mend: null, database_name: item.database_name });
      } else found.push(foundOf(item, since, facts.now));
    }
    return { found, unknown };
  },
  figureAfter: sizeWhenGone,
});
