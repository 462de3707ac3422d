// One instant of a server, from what is stored. Guards: nothing is asked of the server; each part says of when it is or why
// it is not known; nothing is longer than its cap, however many sessions there were.

import { momentLogs } from '../../estate/estate.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { FIRST_MS, LAST_MS } from '../../kernel/times.ts';
import { ALL_TYPES } from '../timeline/timeline.contract.ts';
import { serversFor, toldOf } from '../timeline/timeline.service.ts';
import { hostOf } from './host-part.ts';
import { lockTree } from './lock-tree.ts';
import type * as contract from './moment.contract.ts';
import { ASKED } from './moment-probes.ts';
import {
  asOf,
  progressOf,
  replicationOf,
  serverOf,
  sessionsOf,
  settingsOf,
  slotsOf,
  waitsOf,
} from './parts.ts';
import { type MomentPart, momentFactsOf, momentOf } from './stored-moment.ts';

type Query = Input<typeof contract.getConnectionMoment>['query'];
type Answer = Output<typeof contract.getConnectionMoment>;

const SESSIONS = 200;
const AROUND_MS = 10 * 60_000;
const MOST_CHANGES = 100;
/** Clocks of clients run a little ahead. */
const AHEAD_MS = 60_000;

const NOTHING: MomentPart = { at: null, reason: null, rows: [] };

function instantOf({ at }: Query, now: number): number {
  if (at === undefined) return now;
  const asked = Temporal.Instant.from(at.toUpperCase()).epochMilliseconds;
  if (asked > now + AHEAD_MS)
    throw new Fault('bad_request', 'at is in the future. Use a past time, or omit it for now.');
  return asked;
}

function locksOf(locks: MomentPart, sessions: MomentPart): Answer['locks'] {
  const waiting = sessions.rows.filter((row) => row.state === 'active' && row.wait_event_type === 'Lock');
  const count = waiting.reduce((sum, row) => sum + Number(row.sessions ?? 0), 0);
  // Somebody waited, but nobody looked yet who for.
  if (locks.at !== null && locks.rows.length === 0 && count > 0)
    return {
      as_of: null,
      reason: `${count} ${count === 1 ? 'session' : 'sessions'} waited for a lock; who held it was not read before this instant.`,
      waiting_count: null,
      root_count: null,
      nodes: null,
    };
  const known = locks.at !== null;
  const { waiting_count, root_count, nodes } = lockTree(locks.rows);
  return known
    ? { ...asOf(locks), waiting_count, root_count, nodes }
    : { ...asOf(locks), waiting_count: null, root_count: null, nodes: null };
}

async function changesOf(ctx: Ctx, connectionId: number, at: number): Promise<Answer['changes']> {
  const from = Math.max(FIRST_MS, at - AROUND_MS);
  const to = Math.min(LAST_MS, at + AROUND_MS);
  const servers = await serversFor(ctx, [connectionId]);
  const result = await toldOf(ctx, { servers, types: new Set(ALL_TYPES), from, to, limit: MOST_CHANGES });
  return { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString(), result };
}

const OF_LOCKS = ASKED.filter(({ probe }) => probe.name === 'pg_locks_tree');

/** Who waited for whom at one instant, and nothing else of it. */
export async function locksAt(ctx: Ctx, connection_id: number, query: Query): Promise<Answer['locks']> {
  const now = ctx.clock.now();
  const at = instantOf(query, now);
  const { parts, sessions } = await momentOf(ctx.db, { connection_id, at, now, asked: OF_LOCKS });
  return locksOf(parts.get('pg_locks_tree') ?? NOTHING, sessions);
}

export async function getConnectionMoment(ctx: Ctx, connection_id: number, query: Query): Promise<Answer> {
  const now = ctx.clock.now();
  const at = instantOf(query, now);
  const [found, factsOf, changes, logs] = await Promise.all([
    momentOf(ctx.db, { connection_id, at, now, asked: ASKED }),
    momentFactsOf(ctx.db, { connection_id, at }),
    changesOf(ctx, connection_id, at),
    momentLogs(ctx, connection_id, at),
  ]);
  const part = (probe: string) => found.parts.get(probe) ?? NOTHING;
  return {
    connection_id,
    at: new Date(at).toISOString(),
    server: serverOf(factsOf('pg_server_info')),
    sessions: sessionsOf(part('pg_stat_activity'), query.limit ?? SESSIONS),
    locks: locksOf(part('pg_locks_tree'), found.sessions),
    waits: waitsOf(found.sessions),
    progress: progressOf(part('pg_stat_progress')),
    replication: replicationOf(part('pg_stat_replication')),
    slots: slotsOf(part('pg_replication_slots')),
    host: hostOf(part),
    settings: settingsOf(factsOf('pg_settings')),
    logs,
    changes,
  };
}
