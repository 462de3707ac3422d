// SQL of replication within a cluster: its visible servers with what identifies them to others, and the newest samples
// of senders, receivers and slots, each for all servers at once.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { factInForce, newestRows, newestRun } from '../../store/read/relations.ts';
import { visible } from '../access/access.queries.ts';
import type { Principal } from '../access/principal.ts';
import type { MemberFacts, SenderRow, SlotRow } from './cluster-links.ts';

/** A stored cluster by its id, or one that is only detected by its keys. */
export type Which = { cluster_id: number } | { keys: readonly string[] };

export function listMemberFacts(db: Db, principal: Principal, which: Which): Promise<MemberFacts[]> {
  const where =
    'keys' in which
      ? sql`s.cluster_id is null and not s.is_hidden and s.cluster_key = any(${which.keys}::text[])`
      : sql`s.cluster_id = ${which.cluster_id}::int`;
  return db.rows<MemberFacts>(sql`/* clusters.detail_members */
    select
      c.id, c.name, c.host, c.hostaddr, c.is_monitored,
      server.value ->> 'cluster_name' as cluster_name,
      role.rows -> 0 -> 'role_details' ->> 'receiver_slot_name' as receiver_slot_name,
      array(
        select sub ->> 'slot_name'
        from jsonb_path_query(
          role.rows, '$[0].role_details.*[*] ? (exists (@.publisher_host) && @.slot_name.type() == "string")'
        ) sub
      ) as subscribed_slots,
      sent.outcome as sent_outcome, sent.reason as sent_reason, sent.mend as sent_mend,
      slots.outcome as slots_outcome, slots.reason as slots_reason, slots.mend as slots_mend
    from matriarch.connection_scopes s
    join matriarch.connections c on c.id = s.connection_id
    left join ${newestRun('pg_node_role')} role on role.connection_id = c.id
    left join ${newestRun('pg_stat_replication')} sent on sent.connection_id = c.id
    left join ${newestRun('pg_replication_slots')} slots on slots.connection_id = c.id
    left join ${factInForce('pg_server_info')} server on server.connection_id = c.id
    where ${where} and ${visible(principal)}
    order by lower(c.name), c.id`);
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
] as const;

export function listSenders(db: Db, ids: readonly number[]): Promise<SenderRow[]> {
  return db.rows<SenderRow>(sql`/* clusters.detail_senders */
    select r.connection_id, r.collected_at, r.role, r.pid, r.application_name, r.client_addr, r.state, r.sync_state,
      r.write_lag, r.flush_lag, r.replay_lag, r.lag_bytes::float8, r.receiver_status, r.receiver_slot_name
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
