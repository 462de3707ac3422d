// Performance of servers over a window, from what was collected. Guards: ratios and rates are of increases inside the
// window; several servers are put together by what their numbers are made of, not by their means.

import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { catalogProbe } from '../../probes/catalog-probe.ts';
import { connectionsOf } from '../metrics/metrics.service.ts';
import {
  type Figured,
  type Figures,
  figureOf,
  figuresOf,
  ratioIn,
  ratioOf,
  ratioOfAll,
  sumOfAll,
} from './increases.ts';
import type * as contract from './performance.contract.ts';
import { type DatabaseAge, findDatabaseAges } from './performance.queries.ts';
import { type Grid, gridOf, known, pointsOf, secondOf } from './window.ts';

type Query = Input<typeof contract.getPerformanceSummary>['query'];
type Answer = Output<typeof contract.getPerformanceSummary>;
type Connection = Answer['connections'][number];

const MOST_CONNECTIONS = 1000;
const MOST_TRANSACTIONS = 2_147_483_647;
const COMMITS = 'xact_commit_per_sec';

const databases = catalogProbe('pg_stat_database');
const checkpointer = catalogProbe('pg_stat_checkpointer');
export const HIT_RATIO = ratioOf(databases, 'cache_hit_ratio');
const ROLLBACKS = ratioOf(databases, 'rollback_percent');

const none: Figures = new Map();

/** Shares of blocks that were found in shared buffers. */
export const hitRatios = (grid: Grid, figures: Figures): Connection['cache_hit_ratio'] => ({
  ...known(ratioIn(figures, HIT_RATIO), (current) => ({ current })),
  time_series: pointsOf(grid, (bucket) => {
    const value = ratioIn(figures, HIT_RATIO, bucket);
    return value === null ? undefined : { value };
  }),
});

const transactions = (grid: Grid, figures: Figures): Connection['transactions'] => ({
  ...known(figureOf(figures, COMMITS), (commits_per_sec) => ({ commits_per_sec })),
  ...known(ratioIn(figures, ROLLBACKS), (rollback_percent) => ({ rollback_percent })),
  time_series: pointsOf(grid, (bucket) => {
    const commits_per_sec = figureOf(figures, COMMITS, bucket);
    if (commits_per_sec === null) return undefined;
    // Nothing was rolled back where nothing ended; the point has to say so.
    return { commits_per_sec, rollback_percent: ratioIn(figures, ROLLBACKS, bucket) ?? 0 };
  }),
});

const checkpoints = (grid: Grid, figures: Figures): Connection['checkpoints'] => ({
  time_series: pointsOf(grid, (bucket) => {
    const write_time_ms = figureOf(figures, 'write_time', bucket);
    const sync_time_ms = figureOf(figures, 'sync_time', bucket);
    return write_time_ms === null || sync_time_ms === null ? undefined : { write_time_ms, sync_time_ms };
  }),
});

const ages = (rows: readonly DatabaseAge[]): Connection['xid_age'] =>
  rows.flatMap(({ database_name, age, collected_at }) =>
    database_name === null || age === null
      ? []
      : [
          {
            database_name,
            age,
            percent: (100 * age) / MOST_TRANSACTIONS,
            ...(collected_at !== null && { collected_at }),
          },
        ],
  );

const aggregate = (all: readonly Figures[]): NonNullable<Answer['aggregate']> => ({
  ...known(ratioOfAll(all, HIT_RATIO), (cache_hit_ratio) => ({ cache_hit_ratio })),
  ...known(sumOfAll(all, COMMITS), (commits_per_sec) => ({ commits_per_sec })),
  ...known(ratioOfAll(all, ROLLBACKS), (rollback_percent) => ({ rollback_percent })),
});

type Own = Pick<Figured, 'figures' | 'compared'>;
const nothing: Own = { figures: none, compared: none };

const byConnection = (all: readonly Figured[]): ReadonlyMap<number, Own> =>
  new Map(all.map((one) => [one.connection_id, one]));

/** What a server did in one of the windows. */
const activity = (grid: Grid, found: Figures, written: Figures) => ({
  cache_hit_ratio: hitRatios(grid, found),
  transactions: transactions(grid, found),
  checkpoints: checkpoints(grid, written),
});

function comparedWith(grid: Grid, all: readonly Own[]): Pick<Answer, 'compared'> {
  const second = secondOf(grid);
  if (!second) return {};
  const isSeveral = all.length > 1 && { aggregate: aggregate(all.map(({ compared }) => compared)) };
  return { compared: { ...second, ...isSeveral } };
}

export async function getPerformanceSummary({ db, clock }: Ctx, query: Query): Promise<Answer> {
  const connection_ids = connectionsOf(query, MOST_CONNECTIONS);
  const grid = gridOf(query, { now: clock.now(), fallback: '1h' });
  const metrics = [...new Set([...HIT_RATIO.to, ...ROLLBACKS.to, COMMITS])];
  const [[found = [], written = []], rows] = await Promise.all([
    figuresOf(db, [
      { probe: databases, metrics, connection_ids, grid },
      { probe: checkpointer, metrics: ['write_time', 'sync_time'], connection_ids, grid },
    ]),
    findDatabaseAges(db, connection_ids),
  ]);
  const [figures, times] = [byConnection(found), byConnection(written)];
  const own = Map.groupBy(rows, ({ connection_id }) => connection_id);
  const isCustom = query.start_time !== undefined;
  return {
    time_range: isCustom ? 'custom' : (query.time_range ?? '1h'),
    connections: connection_ids.flatMap((connection_id) => {
      const databasesOf = own.get(connection_id) ?? [];
      const [first] = databasesOf;
      // Deleted meanwhile.
      if (!first) return [];
      const done = figures.get(connection_id) ?? nothing;
      const wrote = times.get(connection_id) ?? nothing;
      return [
        {
          connection_id,
          connection_name: first.connection_name,
          xid_age: ages(databasesOf),
          ...activity(grid, done.figures, wrote.figures),
          ...(grid.compare_from !== undefined && {
            compared: activity(grid, done.compared, wrote.compared),
          }),
        },
      ];
    }),
    ...(connection_ids.length > 1 && {
      aggregate: aggregate([...figures.values()].map((own) => own.figures)),
    }),
    ...comparedWith(grid, [...figures.values()]),
  };
}
