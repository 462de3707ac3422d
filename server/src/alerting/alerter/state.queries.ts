// What a round of the alerter knows before it judges: the servers that are watched, whether each can be reached and since when it is read,
// which others stand beside it, and the alerts that are open, pending and muted.
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import { factInForce } from '../../store/read/doors/relations.ts';
import type { AlertKey, Operator, Severity, Status } from '../alerts/alerts.types.ts';

export interface WatchedRow {
  connection_id: number;
  name: string;
  consecutive_failures: number;
  failing_since: string | null;
  last_error_at: string | null;
  connection_error: string | null;
  /**
   * Since when the collector that holds the connection now could have read it: when it took it, or when the server answered
   * after that; milliseconds since the epoch. Null while no collector holds it.
   */
  read_since: number | null;
  /** The database in which this product keeps its own data, where that is on this server. */
  own_database: string | null;
}

/** Every connection that is watched, and whether it can be reached. */
export const listWatched = (db: Db): Promise<WatchedRow[]> =>
  db.rows<WatchedRow>(
    prepared(sql`/* alerts.watched */
    select
      c.id as connection_id, c.name, coalesce(s.consecutive_failures, 0) as consecutive_failures, s.failing_since,
      s.last_error_at, s.connection_error,
      case
        when l.owner <> '' and l.expires_at > now()
        then extract(epoch from greatest(e.taken_at, s.last_connected_at)) * 1000
      end::double precision as read_since,
      case when c.is_embedded then current_database()::text end as own_database
    from matriarch.connections c
    left join matriarch.connection_states s on s.connection_id = c.id
    left join matriarch.connection_leases l on l.connection_id = c.id
    left join matriarch.lease_epochs e on e.connection_id = l.connection_id and e.epoch = l.epoch
    where c.deleted_at is null and c.is_monitored
    order by c.id`),
  );

export interface OpenRow extends AlertKey {
  id: number;
  /** Cleared ones are those of the last minutes. */
  status: Status;
  severity: Severity;
  operator: Operator | null;
  threshold_value: number | null;
  metric_value: number | null;
  cause_id: number | null;
  sampled_at: string | null;
  well_samples: number;
  cleared_at: string | null;
}

/** Alerts that are open, and those that cleared so many seconds ago or later. */
export const listOpen = (db: Db, silent_seconds: number): Promise<OpenRow[]> =>
  db.rows<OpenRow>(
    prepared(sql`/* alerts.open */
    select
      a.id, a.connection_id, a.raised_by, a.database_name, a.object_name, a.status, a.severity, a.operator,
      a.threshold_value, a.metric_value, a.cause_id, a.sampled_at, a.well_samples, a.cleared_at
    from matriarch.alerts a
    where a.status <> 'cleared'
      or a.status = 'cleared' and a.cleared_at > now() - make_interval(secs => ${silent_seconds})
    order by a.id`),
  );

export interface PendingRow extends AlertKey {
  since: string;
  sampled_at: string;
}

export const listPending = (db: Db): Promise<PendingRow[]> =>
  db.rows<PendingRow>(
    prepared(sql`/* alerts.pending */
    select p.connection_id, p.raised_by, p.database_name, p.object_name, p.since, p.sampled_at
    from matriarch.pending_alerts p`),
  );

export interface MuteRow {
  connection_id: number;
  raised_by: string;
  database_name: string;
}

export const listMutes = (db: Db): Promise<MuteRow[]> =>
  db.rows<MuteRow>(
    prepared(sql`/* alerts.mutes */
    select m.connection_id, m.raised_by, m.database_name
    from matriarch.alert_mutes m
    where m.until_time > now()`),
  );

/** Servers that replicate from these, with the one that each replicates from. */
export const listUpstreams = (
  db: Db,
  upstreams: readonly number[],
): Promise<{ connection_id: number; parent_connection_id: number }[]> =>
  db.rows<{ connection_id: number; parent_connection_id: number }>(sql`/* alerts.upstreams */
    select n.connection_id, n.parent_connection_id
    from matriarch.topology_nodes n
    where n.parent_connection_id = any (${upstreams}::integer[])`);

/** Servers of the clusters of these, each with one of these beside it. */
export const listUnreachableMembers = (
  db: Db,
  silent: readonly number[],
): Promise<{ connection_id: number; silent_id: number }[]> =>
  db.rows<{ connection_id: number; silent_id: number }>(sql`/* alerts.mates */
    select n.connection_id, s.connection_id as silent_id
    from matriarch.topology_nodes s
    join matriarch.topology_nodes n on n.cluster_key = s.cluster_key and n.connection_id <> s.connection_id
    where s.connection_id = any (${silent}::integer[])
    order by n.connection_id, s.connection_id desc`);

/** The other servers of the clusters of these. */
export const listClusterMembers = (
  db: Db,
  connection_ids: readonly number[],
): Promise<{ connection_id: number; mate_id: number }[]> =>
  db.rows<{ connection_id: number; mate_id: number }>(sql`/* alerts.cluster_mates */
    select n.connection_id, m.connection_id as mate_id
    from matriarch.topology_nodes n
    join matriarch.topology_nodes m on m.cluster_key = n.cluster_key and m.connection_id <> n.connection_id
    where n.connection_id = any (${connection_ids}::integer[])
    order by n.connection_id, m.connection_id`);

export interface AudienceRow {
  connection_id: number;
  /** The same where the same channels are notified, and the same people see the connection. */
  audience: string;
  /** Its system and its start; null: not known. */
  server: string | null;
}

/** Who is told of the alerts of each connection, and which server it leads to. */
export const listAudiences = (db: Db): Promise<AudienceRow[]> =>
  db.rows<AudienceRow>(
    prepared(sql`/* alerts.audiences */
    select
      c.id as connection_id,
      jsonb_build_array(
        array(
          select k.channel_id
          from matriarch.connection_channels k
          where k.connection_id = c.id
          order by k.channel_id
        ),
        case
          when not c.is_shared
          then jsonb_build_array(
            c.owner_id,
            array(
              select g.group_id from matriarch.group_connections g where g.connection_id = c.id
              union
              select i.group_id from matriarch.inherited_grants i where i.connection_id = c.id
              order by 1
            )
          )
        end
      )::text as audience,
      (f.value ->> 'system_identifier') || ' ' || (f.value ->> 'postmaster_start_time') as server
    from matriarch.connections c
    left join ${factInForce('pg_server_info')} f on f.connection_id = c.id
    where c.deleted_at is null and c.is_monitored`),
  );
