// Tables of subscriptions that are not copied yet, and those whose copy fails again and again. Guards: a copy that is under way is a
// note; changes of the other tables arrive meanwhile.
import type { Facts, Item } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';
import { literal, named } from './units.ts';

const MANY_ERRORS = 5;
const STATES: Readonly<Record<string, string>> = {
  i: 'waits for its copy',
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
      ? `The table ${tables[0]} ${STATES[first?.text('srsubstate') ?? ''] ?? 'is not ready'}`
      : `${rows.length} tables are not ready`;
  const failed = errors ? `; copies failed ${errors} times` : '';
  return {
    database_name: first?.database_name ?? '',
    object_name: name,
    object_key: subid,
    severity: (errors ?? 0) >= MANY_ERRORS ? 'warning' : 'info',
    message: `${which} in the subscription ${name}${failed}.`,
    figure: { value: rows.length, unit: 'count' },
    evidence: { tables: rows.length, sync_error_count: errors },
    rows: rows.map((row, n) => ({ table: tables[n] ?? '', srsubstate: row.text('srsubstate') })),
    remedy: [
      '-- The log of this server says why a copy fails, such as rows that are there already; mended, it is tried again by itself.',
      'select r.srrelid::regclass, r.srsubstate',
      'from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid',
      `where s.subname = ${literal(name)} and r.srsubstate <> 'r';`,
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'subscription_tables_not_ready',
  category: 'replication',
  title: 'Tables of a subscription are not ready',
  meaning: 'Changes of these tables do not arrive, and their publisher keeps WAL for them meanwhile.',
  advice: 'Wait while the copy is under way; where it fails, mend what the log says.',
  caution: 'Rows that are there already were made here or came by another way: look before they are removed.',
  source: 'logical-replication-architecture.html#LOGICAL-REPLICATION-SNAPSHOT',
  proof: 'stated',
  where: 'primary',
  reads: { pg_subscription_rel: ['srsubid', 'subname', 'schemaname', 'relname', 'srsubstate'] },
  uses: { pg_stat_subscription: ['subid', 'sync_error_count'] },
  judge: (facts) => {
    const waiting = facts.rows('pg_subscription_rel').filter(isWaiting);
    const bySubscription = Map.groupBy(waiting, (row) => row.text('srsubid') ?? '');
    return { found: [...bySubscription].map(([subid, rows]) => foundOf(facts, subid, rows)) };
  },
  figureAfter: (facts, { object_key }) =>
    facts.rows('pg_subscription_rel').filter((row) => isWaiting(row) && row.text('srsubid') === object_key)
      .length,
});
