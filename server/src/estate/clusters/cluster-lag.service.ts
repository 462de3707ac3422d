// How far behind the standbys of a cluster were. Guards: only of streams both of whose ends the caller can see; a standby
// that cannot be told from others is shown nobody else's lag; seven statements, whatever the number of servers.

import { comparedFrom, windowOf } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { isoRounded, isTimeInRange } from '../../kernel/times.ts';
import { type Metric, metricOf } from '../../probes/metrics.ts';
import { probe as senders } from '../../probes/pg-stat-replication.ts';
import type { Value } from '../../store/layout/types.ts';
import { type MetricSeries, metricBuckets } from '../../store/read/doors/buckets.ts';
import { membersNamed, sceneOf } from './cluster-detail.service.ts';
import type * as contract from './cluster-lag.contract.ts';
import { type SenderGroup, type Served, servedOf, streamsOf } from './cluster-streams.ts';

type Query = Input<typeof contract.getClusterLag>['query'];
type Answer = Output<typeof contract.getClusterLag>;

const BUCKETS = 60;
const GROUP = ['application_name', 'client_addr'];
/** Name of the metric of the probe, by the member that tells it. */
const LAGS = { lag_bytes: 'lag_bytes', replay_lag_seconds: 'replay_lag' } as const;

function declared(name: keyof typeof LAGS): Metric {
  const found = metricOf(senders, LAGS[name]);
  if (!found) throw new Error(`${senders.name} has no ${LAGS[name]}`);
  return found;
}
const metrics = { lag_bytes: declared('lag_bytes'), replay_lag_seconds: declared('replay_lag_seconds') };
const told = (['lag_bytes', 'replay_lag_seconds'] as const).map((name) => {
  const { unit, description } = metrics[name];
  return { name, unit, description };
});

/** The largest of what was measured, bucket by bucket. */
function largest(all: readonly (readonly (number | null)[])[], buckets: number): (number | null)[] {
  return Array.from({ length: buckets }, (_none, n) =>
    all.reduce<number | null>((most, values) => {
      const value = values[n] ?? null;
      return value === null || (most !== null && most >= value) ? most : value;
    }, null),
  );
}

interface Group extends SenderGroup {
  readonly series: readonly MetricSeries[];
}

function groupsOf(series: readonly MetricSeries[]): Group[] {
  const text = (value: Value | undefined) => (typeof value === 'string' ? value : null);
  const byGroup = Map.groupBy(series, ({ connection_id, group }) =>
    JSON.stringify([connection_id, group.application_name, group.client_addr]),
  );
  return [...byGroup.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const { connection_id, group } = first;
    const [application_name, client_addr] = [text(group.application_name), text(group.client_addr)];
    return [{ connection_id, application_name, client_addr, series: own }];
  });
}

function lagOf(
  { groups }: Served<Group>,
  name: keyof typeof LAGS,
  asked: { buckets: number; compares: boolean },
) {
  const own = groups.flatMap(({ series }) => series.filter(({ metric }) => metric.name === LAGS[name]));
  const of = (all: readonly (readonly (number | null)[])[]) => largest(all, asked.buckets);
  return {
    values: of(own.map(({ values }) => values)),
    ...(asked.compares && { compared: of(own.map(({ compared = [] }) => compared)) }),
  };
}

export async function getClusterLag(ctx: Ctx, name: string, query: Query): Promise<Answer> {
  const window = windowOf(query, { now: ctx.clock.now(), fallback: '1h' });
  const { from, to } = window;
  const compare_from = query.compare && comparedFrom(window, query.compare);
  if (compare_from !== undefined && !isTimeInRange(compare_from))
    throw new Fault('bad_request', 'The window to compare with begins before the year 1.');
  const buckets = query.buckets ?? BUCKETS;
  const members = await membersNamed(ctx, name);
  const scene = await sceneOf(
    ctx,
    members.map((member) => ({ ...member, sent: undefined, slots: undefined })),
  );
  const streams = streamsOf(scene);
  const asked = {
    probe: senders,
    metrics: Object.values(metrics),
    connection_ids: [...new Set(streams.map(({ target }) => target.id))],
    aggregate: 'max',
    group_by: GROUP,
    where: { role: 'primary' },
    from,
    to,
    buckets,
    ...(compare_from !== undefined && { compare_from }),
  } as const;
  const series = streams.length === 0 ? [] : await metricBuckets(ctx.db, asked);
  const about = { buckets, compares: compare_from !== undefined };
  return {
    start_time: isoRounded(from),
    end_time: isoRounded(to),
    bucket_seconds: (to - from) / buckets / 1000,
    ...(compare_from !== undefined && { compared_start_time: isoRounded(compare_from) }),
    metrics: told,
    streams: servedOf(scene, streams, groupsOf(series)).map((one) => ({
      source_connection_id: one.source.id,
      target_connection_id: one.target.id,
      application_name: one.application_name,
      lag_bytes: lagOf(one, 'lag_bytes', about),
      replay_lag_seconds: lagOf(one, 'replay_lag_seconds', about),
      reason: one.reason,
    })),
  };
}
