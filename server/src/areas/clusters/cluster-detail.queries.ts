// SQL of replication within a cluster: its visible servers with what identifies them to others, and the newest samples
// of senders, receivers and slots, each for all servers at once.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
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
    left join metrics.current_snapshots role
      on role.connection_id = c.id and role.probe = 'pg_node_role' and role.database_name = ''
    left join metrics.current_snapshots sent
      on sent.connection_id = c.id and sent.probe = 'pg_stat_replication' and sent.database_name = ''
    left join metrics.current_snapshots slots
      on slots.connection_id = c.id and slots.probe = 'pg_replication_slots' and slots.database_name = ''
    left join metrics.facts server
      on server.connection_id = c.id
      and server.probe = 'pg_server_info'
      and server.database_name = ''
      and server.item_key = ''
      and server.valid_to is null
    where ${where} and ${visible(principal)}
    order by lower(c.name), c.id`);
}

export function listSenders(db: Db, ids: readonly number[]): Promise<SenderRow[]> {
  return db.rows<SenderRow>(sql`/* clusters.detail_senders */
    select s.connection_id, s.collected_at, r.role, r.pid, r.application_name, r.client_addr, r.state, r.sync_state,
      r.write_lag, r.flush_lag, r.replay_lag, r.lag_bytes, r.receiver_status, r.receiver_slot_name
    from metrics.current_snapshots s
    cross join jsonb_to_recordset(s.rows) r (
      role text, pid int, application_name text, client_addr text, state text, sync_state text,
      write_lag float8, flush_lag float8, replay_lag float8, lag_bytes float8,
      receiver_status text, receiver_slot_name text
    )
    where s.connection_id = any(${ids}::int[])
      and s.probe = 'pg_stat_replication'
      and s.database_name = ''
      and s.collected_at is not null
    order by s.connection_id, r.role, r.pid`);
}

/** Lost and unused ones first. */
export function listSlots(db: Db, ids: readonly number[]): Promise<SlotRow[]> {
  return db.rows<SlotRow>(sql`/* clusters.detail_slots */
    select s.connection_id, s.collected_at, r.slot_name, r.slot_type, r.database as database_name,
      r.active as is_active, r.active_pid, r.wal_status, r.retained_bytes, r.safe_wal_size as safe_wal_size_bytes,
      r.invalidation_reason, r.inactive_since
    from metrics.current_snapshots s
    cross join jsonb_to_recordset(s.rows) r (
      slot_name text, slot_type text, database text, active boolean, active_pid int, wal_status text,
      retained_bytes float8, safe_wal_size float8, invalidation_reason text, inactive_since timestamptz
    )
    where s.connection_id = any(${ids}::int[])
      and s.probe = 'pg_replication_slots'
      and s.database_name = ''
      and s.collected_at is not null
    order by (r.wal_status = 'lost') desc nulls last, r.active nulls first, s.connection_id, r.slot_name`);
}
