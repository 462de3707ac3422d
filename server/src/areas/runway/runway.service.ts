// What runs out on the servers that the caller sees. Guards: nobody reads of other servers, and the counts are of these alone.

import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { compareRows, type RunwayRow, readRunway, runwayWindow } from '../../store/read/runway.ts';
import type { RunwayKind } from '../../store/read/runway-kinds.ts';
import type { Ctx } from '../access/principal.ts';
import { namedServers, serversFor } from '../timeline/timeline.service.ts';
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

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function shown(row: RunwayRow, server_name: string): Static<typeof RunwayItem> {
  const { trend, object, ...rest } = row;
  const { state, at, earliest, latest, per_day, days_of_data, reason } = trend;
  return {
    ...rest,
    server_name,
    object_name: object,
    state,
    runs_out_at: iso(at),
    earliest_at: iso(earliest),
    latest_at: iso(latest),
    per_day,
    days_of_data,
    reason,
  };
}

export async function listRunway(ctx: Ctx, query: RunwayQuery): Promise<Static<typeof Runway>> {
  const named = namedServers(query);
  const { cluster_id, kind, state, limit = 200, offset = 0 } = query;
  if (named && cluster_id !== undefined)
    throw new Fault('bad_request', 'Name connections or a cluster, not both.');
  const servers = await serversFor(ctx, named, cluster_id);
  const now = ctx.clock.now();
  const rows = await readRunway(ctx.db, {
    connection_ids: [...servers.keys()],
    kinds: kind && [kind],
    now,
  });
  const counts = { runs_out: 0, not_growing: 0, unknown: 0 };
  for (const { trend } of rows) counts[trend.state] += 1;
  const wanted = rows.filter(({ trend }) => state === undefined || trend.state === state).sort(compareRows);
  return {
    days_until: new Date(runwayWindow(now).to).toISOString(),
    items: wanted
      .slice(offset, offset + limit)
      .map((row) => shown(row, servers.get(row.connection_id)?.name ?? '')),
    total: wanted.length,
    counts,
  };
}
