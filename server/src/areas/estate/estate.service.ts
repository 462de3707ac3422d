// The estate at a glance, from stored samples only. One statement, whatever the number of servers.
import type { Static } from '../../kernel/schema.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { isAllowed } from '../access/access.service.ts';
import type { Ctx, Principal } from '../access/principal.ts';
import type { EstateResponse, EstateServer } from './estate.contract.ts';
import { type EstateRow, listServers } from './estate.queries.ts';
import { type ServerStatus, type StatusFacts, serverStatus } from './status.ts';

export type { ServerStatus };

type Server = Static<typeof EstateServer>;

const CONNECTIVITY_SECONDS = probes.find(({ name }) => name === 'pg_connectivity')?.intervalSeconds ?? 30;

export type StateFacts = Omit<StatusFacts, 'interval_seconds' | 'now'> & {
  /** How often its connectivity is sampled; null: as the probe is built. */
  interval_seconds: number | null;
};

/** The status of a server, wherever servers are shown. */
export function statusOf(facts: StateFacts, now: number): ServerStatus {
  const { is_monitored, created_at, last_sample_at } = facts;
  const interval_seconds = facts.interval_seconds ?? CONNECTIVITY_SECONDS;
  return serverStatus({ is_monitored, created_at, last_sample_at, interval_seconds, now });
}

/** A sum beyond 2^53 would come as text; that many bytes nobody has. */
function sizeOf(size: number | string | null): number | null {
  return size === null ? null : Number(size);
}

function roleOf(is_in_recovery: boolean | null): Server['role'] {
  if (is_in_recovery === null) return null;
  return is_in_recovery ? 'standby' : 'primary';
}

function serverOf(row: EstateRow, principal: Principal, now: number): Server {
  const { connection_id, name, description, host, port, is_monitored, is_shared, owner_username } = row;
  const { last_sample_at, response_time_ms, database_count, problem_count } = row;
  const access = { found: true, owned: row.owned, level: row.level };
  return {
    connection_id,
    name,
    description,
    host,
    port,
    is_monitored,
    is_shared,
    owner_username,
    may_manage: isAllowed(principal, access, 'manage'),
    status: statusOf(row, now),
    connection_error: is_monitored ? row.connection_error : null,
    version: row.server_version,
    role: roleOf(row.is_in_recovery),
    last_sample_at,
    response_time_ms,
    database_count,
    size_bytes: sizeOf(row.size_bytes),
    problem_count,
  };
}

export async function getEstate(ctx: Ctx): Promise<Static<typeof EstateResponse>> {
  const rows = await listServers(ctx.db, ctx.principal);
  const now = ctx.clock.now();
  return {
    generated_at: new Date(now).toISOString(),
    servers: rows.map((row) => serverOf(row, ctx.principal, now)),
  };
}
