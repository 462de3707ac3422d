// SQL of replication within a cluster: its visible servers with what identifies them to others, and the newest samples
// of senders, receivers and slots, each for all servers at once.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { factInForce, newestRows, newestRun, newestRuns } from '../../store/read/doors/relations.ts';
import type { MemberFacts, SenderRow, SlotRow } from './cluster-links.ts';
import type { ReadState } from './figure-age.ts';

export type MemberRow = Omit<MemberFacts, 'sent' | 'slots'>;

/** A stored cluster by its id, one that is only detected by its keys, or one server by itself. */
export type Which = { cluster_id: number } | { keys: readonly string[] } | { connection_id: number };

function isMeant(which: Which): Sql {
  if ('connection_id' in which) return sql`s.connection_id = ${which.connection_id}::int`;
  if ('cluster_id' in which) return sql`s.cluster_id = ${which.cluster_id}::int`;
  return sql`s.cluster_id is null and not s.is_hidden and s.cluster_key = any(${which.keys}::text[])`;
}

export function listMembers(db: Db, principal: Principal, which: Which): Promise<MemberRow[]> {
  const where = isMeant(which);
  return db.rows<MemberRow>(sql`/* clusters.detail_members */
    select
      c.id, c.name, c.host, c.hostaddr, c.is_monitored, state.connection_error, state.failing_since,
      node.receiver_missing_since,
      server.value ->> 'cluster_name' as cluster_name,
      role.rows -> 0 -> 'role_details' ->> 'receiver_slot_name' as receiver_slot_name,
      array(
        select sub ->> 'slot_name'
        from jsonb_path_query(
          role.rows, '$[0].role_details.*[*] ? (exists (@.publisher_host) && @.slot_name.type() == "string")'
        ) sub
      ) as subscribed_slots
    from matriarch.connection_scopes s
    join matriarch.connections c on c.id = s.connection_id
    left join ${newestRun('pg_node_role')} role on role.connection_id = c.id
    left join matriarch.connection_states state on state.connection_id = c.id
    left join matriarch.topology_nodes node on node.connection_id = c.id
    left join ${factInForce('pg_server_info')} server on server.connection_id = c.id
    where ${where} and ${visible(principal)}
    order by lower(c.name), c.id`);
}

export interface ReadRow extends ReadState {
  connection_id: number;
  probe: string;
}

export interface ProbeBuilt {
  name: string;
  /** In force while nothing else is set, or known to the datastore. */
  intervalSeconds: number;
}

/** What became of these probes on these servers, and how often they run there. */
export function listReads(db: Db, ids: readonly number[], probes: readonly ProbeBuilt[]): Promise<ReadRow[]> {
  const names = probes.map(({ name }) => name);
  return db.rows<ReadRow>(sql`/* clusters.detail_reads */
    select
      c.connection_id, p.probe, s.collected_at, s.outcome, s.reason, s.mend,
      greatest(
        coalesce(e.interval_seconds, p.seconds), case when k.note is not null then k.interval_seconds end
      )::float8 as interval_seconds
    from unnest(${ids}::int[]) c (connection_id)
    cross join unnest(
      ${names}::text[], ${probes.map(({ intervalSeconds }) => intervalSeconds)}::float8[]
    ) p (probe, seconds)
    left join matriarch.effective_probe_settings e
      on e.connection_id = c.connection_id and e.probe_name = p.probe
    left join ${newestRuns} s
      on s.connection_id = c.connection_id and s.probe = p.probe and s.database_name = ''
    left join matriarch.probe_costs k on k.connection_id = c.connection_id and k.probe = p.probe
    where s.connection_id is not null`);
}

const SENDER = [
  'role',
  'pid',
  'application_name',
  'client_addr',
  'state',
  'sync_state',
  'write_lag',
  'flush_lag',
  'replay_lag',
  'lag_bytes',
  'receiver_status',
  'receiver_slot_name',
  'replay_pause_state',
] as const;

export function listSenders(db: Db, ids: readonly number[]): Promise<SenderRow[]> {
  return db.rows<SenderRow>(sql`/* clusters.detail_senders */
    select r.connection_id, r.collected_at, r.role, r.pid, r.application_name, r.client_addr, r.state, r.sync_state,
      r.write_lag, r.flush_lag, r.replay_lag, r.lag_bytes::float8, r.receiver_status, r.receiver_slot_name,
      r.replay_pause_state
    from ${newestRows('pg_stat_replication', SENDER)} r
    where r.connection_id = any(${ids}::int[])
    order by r.connection_id, r.role, r.pid`);
}

const SLOT = [
  'slot_name',
  'slot_type',
  'database',
  'active',
  'active_pid',
  'wal_status',
  'retained_bytes',
  'safe_wal_size',
  'invalidation_reason',
  'inactive_since',
] as const;

/** Lost and unused ones first. */
export function listSlots(db: Db, ids: readonly number[]): Promise<SlotRow[]> {
  return db.rows<SlotRow>(sql`/* clusters.detail_slots */
    select r.connection_id, r.collected_at, r.slot_name, r.slot_type, r.database as database_name,
      r.active as is_active, r.active_pid, r.wal_status, r.retained_bytes::float8,
      r.safe_wal_size::float8 as safe_wal_size_bytes, r.invalidation_reason, r.inactive_since
    from ${newestRows('pg_replication_slots', SLOT)} r
    where r.connection_id = any(${ids}::int[])
    order by (r.wal_status = 'lost') desc nulls last, r.active nulls first, r.connection_id, r.slot_name`);
}
