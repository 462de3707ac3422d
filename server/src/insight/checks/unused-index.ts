// Indexes that nobody has used for a month, here or on any standby. Guards: statistics that began a short while ago prove
// nothing, no more does an index that is younger than they are, and a standby that nobody reads may be the one that uses the index.
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

/** A list of as many may be cut. */
const MOST_LISTED = 10_000;

type IsUsed = (item: Item) => boolean | null;

const keyOf = ({ database_name }: Item, index: string | null) => `${database_name}\n${index}`;

/** Whether a member uses the index; null: nobody can tell, also where its statistics began a short while ago. */
function usesOf(member: Facts): IsUsed {
  const rows = member.rows('pg_stat_all_indexes');
  const scans = new Map(rows.map((item) => [keyOf(item, item.text('indexrelid')), item.number('idx_scan')]));
  const listed = Map.groupBy(rows, ({ database_name }) => database_name);
  return (item) => {
    const { database_name } = item;
    const { length } = listed.get(database_name) ?? [];
    const known = scans.get(keyOf(item, item.text('object_oid')));
    // An index that stands only here, such as one of a member that is written to by itself.
    if (known === undefined && length > 0 && length < MOST_LISTED) return false;
    if ((known ?? 0) > 0) return true;
    const since = member.countedSince(database_name);
    const isLong = since !== null && member.now - since >= LEAST_DAYS * DAY_MS;
    return known === 0 && isLong ? false : null;
  };
}

/** When a reading had the index first, and whether those before it had not; absent: nothing is kept of it. */
interface Seen {
  at: number;
  isMade: boolean;
}

function seenIn(facts: Facts): (item: Item) => Seen | undefined {
  const seen = new Map<string, number>();
  const firstLooks = new Map<string, number>();
  for (const item of facts.rows('pg_stat_all_indexes')) {
    const at = item.number('first_seen');
    if (at === null) continue;
    seen.set(keyOf(item, item.text('indexrelid')), at);
    firstLooks.set(item.database_name, Math.min(at, firstLooks.get(item.database_name) ?? at));
  }
  return (item) => {
    const at = seen.get(keyOf(item, item.text('object_oid')));
    return at === undefined ? undefined : { at, isMade: at > (firstLooks.get(item.database_name) ?? at) };
  };
}

const systemOf = (facts: Facts) => facts.row('pg_server_info')?.text('system_identifier') ?? null;

/** Of the members that have the same indexes: physical standbys share the system of their primary. */
function usesElsewhere(facts: Facts): readonly IsUsed[] {
  const own = systemOf(facts);
  return facts.members.filter((one) => (systemOf(one) ?? own) === own).map(usesOf);
}

const many = (count: number) => `${count} other member${count > 1 ? 's' : ''} of the cluster`;

interface Unused {
  since: number;
  now: number;
  isAgeKnown: boolean;
}

function foundOf(item: Item, { since, now, isAgeKnown }: Unused): Problem {
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
    message: `Index "${named(schema, index)}" of "${table}" has had no scans in ${days} days of statistics and takes ${shownValue(size, 'bytes')}.${alone}${isAgeKnown ? '' : ' Its age is unknown.'}`,
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
    'A yearly report may need it. PostgreSQL does not record when an index was created, so one of unknown age may be new. Keep its definition.',
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
  uses: { pg_stat_all_indexes: ['indexrelid', 'idx_scan', 'first_seen'] },
  judge: (facts) => {
    const unused = facts
      .rows('pg_index_health')
      .filter((item) => item.text('finding') === 'unused' && (item.number('index_size') ?? 0) >= LEAST_BYTES)
      .filter(
        (item) =>
          item.text('foreign_key') === null || (item.number('table_size') ?? LARGE_BYTES) < LARGE_BYTES,
      );
    if (unused.length === 0) return { found: [] };
    const isUsedHere = usesOf(facts);
    const elsewhere = usesElsewhere(facts);
    const seenOf = seenIn(facts);
    const found: Problem[] = [];
    const unknown: Unknown[] = [];
    for (const item of unused) {
      // Scans are counted every few minutes, and what is unused is read once an hour.
      if (isUsedHere(item) === true) continue;
      const counted = item.time('stats_reset') ?? facts.countedSince(item.database_name);
      const seen = seenOf(item);
      // Too young to be called unused.
      if (seen?.isMade && facts.now - seen.at < LEAST_DAYS * DAY_MS) continue;
      const since = seen?.isMade && counted !== null ? Math.max(counted, seen.at) : counted;
      const isAgeKnown = seen !== undefined && facts.now - seen.at >= LEAST_DAYS * DAY_MS;
      const uses = elsewhere.map((isUsed) => isUsed(item));
      if (uses.includes(true)) continue;
      const { length } = uses.filter((one) => one === null);
      if (length > 0) {
        const because = `Index usage on ${many(length)} is unknown, or counted for less than ${LEAST_DAYS} days.`;
        unknown.push({ because, mend: null, database_name: item.database_name });
      } else if (since === null || facts.now - since < LEAST_DAYS * DAY_MS) {
        const from = since === null ? 'unknown' : new Date(since).toISOString().slice(0, 10);
        const because = `The statistics start at ${from}. An index counts as unused after ${LEAST_DAYS} days.`;
        unknown.push({ because, mend: null, database_name: item.database_name });
      } else found.push(foundOf(item, { since, now: facts.now, isAgeKnown }));
    }
    return { found, unknown };
  },
  figureAfter: sizeWhenGone,
});
