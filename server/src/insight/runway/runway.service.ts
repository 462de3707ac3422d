// What runs out on the servers that the caller sees. Guards: nobody reads of other servers, and the counts are of these alone.

import { compareRows, type RunwayKind, type RunwayRow } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { isoOrNull } from '../../kernel/times.ts';
import { namedServers, serversFor } from '../timeline/timeline.service.ts';
import { findRunway } from './runway.queries.ts';
import type { Runway, RunwayItem } from './runway.schemas.ts';

export interface RunwayQuery {
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  cluster_id?: number | undefined;
  kind?: RunwayKind | undefined;
  state?: 'runs_out' | 'not_growing' | 'unknown' | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

function shown(row: RunwayRow, server_name: string, found_at: string): Static<typeof RunwayItem> {
  const { trend, object, ...rest } = row;
  const { state, at, earliest, latest, per_day, days_of_data, reason } = trend;
  return {
    ...rest,
    server_name,
    found_at,
    object_name: object,
    state,
    runs_out_at: isoOrNull(at),
    earliest_at: isoOrNull(earliest),
    latest_at: isoOrNull(latest),
    per_day,
    days_of_data,
    reason,
  };
}

const oldestOf = (kept: readonly { made_at: string }[]): string | null =>
  kept.map(({ made_at }) => made_at).toSorted()[0] ?? null;

export async function listRunway(ctx: Ctx, query: RunwayQuery): Promise<Static<typeof Runway>> {
  const named = namedServers(query);
  const { cluster_id, kind, state, limit = 200, offset = 0 } = query;
  if (named && cluster_id !== undefined)
    throw new Fault('bad_request', 'Name connections or a cluster, not both.');
  const servers = await serversFor(ctx, named, cluster_id);
  const kept = await findRunway(ctx.db, [...servers.keys()]);
  const found = new Map(kept.map((one) => [one.connection_id, one.made_at]));
  const rows = kept.flatMap(({ items }) => items.filter((row) => kind === undefined || row.kind === kind));
  const counts = { runs_out: 0, not_growing: 0, unknown: 0 };
  for (const { trend } of rows) counts[trend.state] += 1;
  const wanted = rows.filter(({ trend }) => state === undefined || trend.state === state).sort(compareRows);
  return {
    oldest_found_at: oldestOf(kept),
    waiting: servers.size - kept.length,
    items: wanted
      .slice(offset, offset + limit)
      .map((row) =>
        shown(row, servers.get(row.connection_id)?.name ?? '', found.get(row.connection_id) ?? ''),
      ),
    total: wanted.length,
    counts,
  };
}
