// What is different on servers between two times. Guards: only servers that the caller may read; kind by kind, so that many
// changes of one kind hide none of another; what cannot be told says why.

import { windowBetween } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { Prepared } from '../../kernel/prepared.ts';
import type { Static } from '../../kernel/schema.ts';
import { isTimeInRange } from '../../kernel/times.ts';
import { NODE_SILENT, readAnswering } from '../../store/read/doors/runs.ts';
import type { ChangesResult } from './changes.contract.ts';
import { MOST_SERVERS_READ } from './object-events.ts';
import { slowerStatements } from './slower-statements.ts';
import { type AnyType, CHANGE_TYPES } from './timeline.contract.ts';
import { eventsByType, namedServers, serversFor } from './timeline.service.ts';
import type { TimelineScope } from './types.ts';

type Result = Static<typeof ChangesResult>;
type Kind = Result['kinds'][number];
type TimelineEntry = Awaited<ReturnType<typeof eventsByType>>[number];

export interface ChangesQuery {
  start_time: string;
  end_time: string;
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  cluster_id?: number | undefined;
  limit: number;
  with_last_changes?: boolean | undefined;
}

interface ChangesScope extends TimelineScope {
  withLast: boolean;
}

/** Of each kind, where it is asked what changed last on each server. */
const LOOKED_THROUGH = 200;
const LONGEST_MS = 366 * 24 * 3_600_000;

/** What changed by itself or by hand; alerts and blackouts are no changes. */
const KINDS: readonly AnyType[] = [
  'restart',
  'role_change',
  'version_change',
  'config_change',
  'role_setting_change',
  'hba_change',
  'ident_change',
  'extension_change',
  ...CHANGE_TYPES.filter((type) => /^(table|index|statement)_/.test(type)),
];

async function askedOf(ctx: Ctx, query: ChangesQuery): Promise<Omit<TimelineScope, 'types' | 'now'>> {
  const { start_time, end_time, cluster_id, limit } = query;
  const window = windowBetween(start_time, end_time);
  const { from, to } = window;
  if (to - from > LONGEST_MS || !isTimeInRange(from - (to - from)))
    throw new Fault('bad_request', 'end_time may be at most 366 days after start_time.');
  const named = namedServers(query);
  if (named && cluster_id !== undefined)
    throw new Fault('bad_request', 'Name connections or a cluster, not both.');
  return { ...window, limit, servers: await serversFor(ctx, named, cluster_id) };
}

function kindOf(event_type: AnyType, told: TimelineEntry, limit: number): Kind {
  const { total_count, incomplete } = told;
  const events = told.events.slice(0, limit);
  const [missing] = incomplete ?? [];
  return missing
    ? { event_type, total_count: null, reason: missing.reason, events }
    : { event_type, total_count, events };
}

async function slowerOf(ctx: Ctx, asked: TimelineScope): Promise<Result['slower_statements']> {
  const previous_start_time = new Date(asked.from - (asked.to - asked.from)).toISOString();
  if (asked.servers.size > MOST_SERVERS_READ) {
    const reason = `Slower statements are listed for at most ${MOST_SERVERS_READ} servers at once. Name fewer.`;
    return { total_count: null, reason, previous_start_time, statements: [] };
  }
  const read = (ids: readonly number[]) => {
    const among = new Set(ids);
    const servers = new Map([...asked.servers].filter(([id]) => among.has(id)));
    return slowerStatements(ctx.db, { ...asked, servers });
  };
  const { value, silent } = await readAnswering(ctx.db, [...asked.servers.keys()], read);
  const { statements } = value;
  return silent.length === 0
    ? { previous_start_time, ...value }
    : { previous_start_time, statements, total_count: null, reason: NODE_SILENT };
}

function lastOf(told: readonly TimelineEntry[]): NonNullable<Result['last_changes']> {
  const newest = new Map<number, NonNullable<Result['last_changes']>[number]>();
  for (const { connection_id, occurred_at, title } of told.flatMap(({ events }) => events)) {
    const known = newest.get(connection_id);
    if (known === undefined || Date.parse(known.occurred_at) < Date.parse(occurred_at))
      newest.set(connection_id, { connection_id, occurred_at, title });
  }
  return [...newest.values()];
}

async function changesOf(ctx: Ctx, asked: ChangesScope): Promise<Result> {
  const { limit, withLast } = asked;
  const told = await eventsByType(ctx, {
    ...asked,
    limit: withLast ? Math.max(limit, LOOKED_THROUGH) : limit,
  });
  const kinds = KINDS.flatMap((type, index) => {
    const one = told[index];
    return one ? [kindOf(type, one, limit)] : [];
  });
  return {
    start_time: new Date(asked.from).toISOString(),
    end_time: new Date(asked.to).toISOString(),
    server_count: asked.servers.size,
    kinds,
    ...(withLast && { last_changes: lastOf(told) }),
    slower_statements: await slowerOf(ctx, asked),
  };
}

/** A day of large servers takes long to look through, and the start page of everybody who sees the same servers asks for it. */
const prepared = new Prepared<Result>({ dear_ms: 250, keep_ms: 60_000, most: 20 });

export async function listChanges(ctx: Ctx, query: ChangesQuery): Promise<Result> {
  const asked: ChangesScope = {
    ...(await askedOf(ctx, query)),
    types: new Set(KINDS),
    now: ctx.clock.now(),
    withLast: query.with_last_changes === true,
  };
  const key = JSON.stringify([
    asked.from,
    asked.to,
    asked.limit,
    asked.withLast,
    [...asked.servers.values()],
  ]);
  const make = (db: Db) => changesOf({ ...ctx, db, principal: ctx.principal }, asked);
  return prepared.of(ctx, key, make);
}
