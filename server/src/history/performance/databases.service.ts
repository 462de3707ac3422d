// The databases of a server at a glance: how large they are, and how busy over a window. Guards: a database that is gone
// from the newest sample is not there; one that is not read itself has its size and no rates.

import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { catalogProbe } from '../../probes/catalog-probe.ts';
import { DATABASE } from '../../store/read/doors/buckets.ts';
import { type Figures, figureOf, figuresOf } from './increases.ts';
import type * as contract from './performance.contract.ts';
import { findDatabases } from './performance.queries.ts';
import { HIT_RATIO, hitRatios } from './summary.service.ts';
import { type Grid, gridOf, known, secondOf } from './window.ts';

type Query = Input<typeof contract.getDatabaseSummaries>['query'];
type Answer = Output<typeof contract.getDatabaseSummaries>;

const activity = catalogProbe('pg_stat_database');
const tables = catalogProbe('pg_stat_all_tables');
const DEAD = 'dead_tuple_ratio';
const ENDED = ['xact_commit_per_sec', 'xact_rollback_per_sec'] as const;

function transactionRate(figures: Figures): number | null {
  const [commits, rollbacks] = ENDED.map((name) => figureOf(figures, name));
  return commits == null || rollbacks == null ? null : commits + rollbacks;
}

/** What happened in a database in one of the windows. */
const activityOf = (grid: Grid, done: Figures = new Map(), dead: Figures = new Map()) => ({
  cache_hit_ratio: hitRatios(grid, done),
  ...known(transactionRate(done), (transaction_rate) => ({ transaction_rate })),
  ...known(figureOf(dead, DEAD), (dead_tuple_ratio) => ({ dead_tuple_ratio })),
});

export async function getDatabaseSummaries({ db, clock }: Ctx, query: Query): Promise<Answer> {
  const { connection_id } = query;
  const grid = gridOf(query, { now: clock.now(), fallback: '24h' });
  const of = { connection_ids: [connection_id], group_by: [DATABASE] };
  const second = secondOf(grid);
  const whole = { ...grid, buckets: 1 };
  const [databases, [found = [], dead = []]] = await Promise.all([
    findDatabases(db, connection_id),
    figuresOf(db, [
      { probe: activity, metrics: [...HIT_RATIO.to, ...ENDED], grid, ...of },
      { probe: tables, metrics: [DEAD], aggregate: 'last', grid: whole, ...of },
    ]),
  ]);
  const done = new Map(found.map((one) => [one.group[DATABASE], one]));
  const rows = new Map(dead.map((one) => [one.group[DATABASE], one]));
  return {
    databases: databases.map((one) => {
      const { database_name, size_bytes, size_pretty, active_connections } = one;
      const [own, dying] = [done.get(database_name), rows.get(database_name)];
      return {
        database_name,
        // Both are required: a size that our role may not know has no other way to say so.
        size_bytes: size_bytes ?? 0,
        size_pretty: size_pretty ?? 'unknown',
        ...activityOf(grid, own?.figures, dying?.figures),
        active_connections,
        size_collected_at: one.size_collected_at,
        sessions_collected_at: one.sessions_collected_at,
        ...(second && { compared: activityOf(grid, own?.compared, dying?.compared) }),
      };
    }),
    ...(second && { compared: second }),
  };
}
