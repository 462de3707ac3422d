// Tables of subscriptions that are not copied yet, and those whose copy fails again and again. Guards: a copy that is under way is a
// note; changes of the other tables arrive meanwhile; a subscription that is disabled copies nothing on purpose.
import type { Facts, Item } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';
import { literal, named } from './units.ts';

const MANY_ERRORS = 5;
const STATES: Readonly<Record<string, string>> = {
  i: 'waits for its initial copy',
  d: 'is being copied',
  f: 'was copied and waits',
  s: 'is synchronized and waits',
};

const isWaiting = (row: Item) => (row.text('srsubstate') ?? 'r') !== 'r';

/** Failed copies since the statistics began; null before version 15. */
const errorsOf = (facts: Facts, subid: string): number | null =>
  facts
    .rows('pg_stat_subscription')
    .find((row) => row.text('subid') === subid)
    ?.number('sync_error_count') ?? null;

function foundOf(facts: Facts, subid: string, rows: readonly Item[]): Problem {
  const [first] = rows;
  const name = first?.text('subname') ?? '';
  const errors = errorsOf(facts, subid);
  const tables = rows.map((row) => named(row.text('schemaname'), row.text('relname')));
  const which =
    rows.length === 1
      ? `Table "${tables[0]}" ${STATES[first?.text('srsubstate') ?? ''] ?? 'is not ready'}`
      : `${rows.length} tables are not ready`;
  const failed = errors ? `. Copy errors: ${errors}` : '';
  return {
    database_name: first?.database_name ?? '',
    object_name: name,
    object_key: subid,
    severity: (errors ?? 0) >= MANY_ERRORS ? 'warning' : 'info',
    message: `${which} in subscription "${name}"${failed}.`,
    figure: { value: rows.length, unit: 'count' },
    evidence: { tables: rows.length, sync_error_count: errors },
    rows: rows.map((row, n) => ({ table: tables[n] ?? '', srsubstate: row.text('srsubstate') })),
    remedy: [
      '-- The log of this server shows why a copy fails, such as duplicate rows. After the fix it is retried automatically.',
      'select r.srrelid::regclass, r.srsubstate',
      'from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid',
      `where s.subname = ${literal(name)} and r.srsubstate <> 'r';`,
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'subscription_tables_not_ready',
  category: 'replication',
  title: 'Subscription tables not ready',
  figureName: 'tables not ready',
  meaning: 'Changes of these tables are not applied, and their publisher retains WAL meanwhile.',
  advice: 'Wait for the copy. If it fails, fix the error in the log.',
  caution: 'Existing rows were inserted here or by another way. Check them before you delete them.',
  source: 'logical-replication-architecture.html#LOGICAL-REPLICATION-SNAPSHOT',
  proof: 'stated',
  where: 'primary',
  reads: { pg_subscription_rel: ['srsubid', 'subname', 'schemaname', 'relname', 'srsubstate'] },
  uses: { pg_stat_subscription: ['subid', 'subenabled', 'sync_error_count'] },
  judge: (facts) => {
    const disabled = facts.rows('pg_stat_subscription').filter((row) => row.flag('subenabled') === false);
    const off = new Set(disabled.map((row) => row.text('subid')));
    const waiting = facts
      .rows('pg_subscription_rel')
      .filter((row) => isWaiting(row) && !off.has(row.text('srsubid')));
    const bySubscription = Map.groupBy(waiting, (row) => row.text('srsubid') ?? '');
    return { found: [...bySubscription].map(([subid, rows]) => foundOf(facts, subid, rows)) };
  },
  figureAfter: (facts, { object_key }) =>
    facts.rows('pg_subscription_rel').filter((row) => isWaiting(row) && row.text('srsubid') === object_key)
      .length,
});
