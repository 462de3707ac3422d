// The statements of incidents: open alerts put together by their causes. Guards: alerts are put together before any filter or limit,
// so a list that is cut shows whole incidents; only alerts that the caller can see are counted and named.
import { levelOf, type Principal } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { factInForce } from '../../store/read/doors/relations.ts';
import { alertRow, ofServers, type SeenAlert, seenBy } from './alerts.queries.ts';
import type { AlertType, Severity, Status } from './alerts.types.ts';
import { clusterName, withCluster } from './outbox.queries.ts';

/** More causes behind one another than rules have. */
const DEEPEST = 8;

/** What follows from what, as the rules say it (`followsFrom`, `followsFromServer`). */
export interface Effect {
  raised_by: string;
  cause: string;
  /** Whatever the object of the effect is, the cause is of the server as a whole. */
  is_of_server: boolean;
}

/**
 * The cause of the alert `a`: the one that was marked when it fired, else an open one that fired later and does not follow from `a`. The
 * earlier alert was sent by then and stays so; for readers both are one incident.
 */
const causeId = sql`coalesce(a.cause_id, (
        select o.id
        from effects e
        join matriarch.alerts o on o.raised_by = e.cause and o.connection_id = a.connection_id and o.status <> 'cleared'
          and o.database_name = case when e.is_of_server then '' else a.database_name end
          and o.object_name = case when e.is_of_server then '' else a.object_name end
        where a.status <> 'cleared' and e.raised_by = a.raised_by and o.cause_id is distinct from a.id
        order by o.triggered_at, o.id
        limit 1
      ))`;

/**
 * Open alerts with their incident. The cause behind all causes decides, also one that has cleared since; which server or cluster it
 * belongs to is said as `matriarch.connection_channels` says it to group messages (`group_key`).
 */
const placed = (effects: readonly Effect[]): Sql => sql`
    effects as materialized (
      select e.raised_by, e.cause, e.is_of_server
      from jsonb_to_recordset(${JSON.stringify(effects)}::jsonb) as e (raised_by text, cause text, is_of_server boolean)
    ),
    behind (alert_id, cause_id, next_id, depth) as (
      select a.id, a.id, ${causeId}, 0
      from matriarch.alerts a
      where a.status <> 'cleared'
      union all
      select b.alert_id, a.id, ${causeId}, b.depth + 1
      from behind b
      join matriarch.alerts a on a.id = b.next_id
      where b.depth < ${DEEPEST}
    ),
    first_causes as (
      select distinct on (b.alert_id) b.alert_id, b.cause_id, b.depth
      from behind b
      order by b.alert_id, b.depth desc
    ),
    placed as (
      select
        f.alert_id, f.depth,
        md5(coalesce('cluster:' || s.cluster_id, 'server:' || a.connection_id) || ' ' || a.raised_by) as incident_key
      from first_causes f
      join matriarch.alerts a on a.id = f.cause_id
      left join matriarch.connection_scopes s on s.connection_id = a.connection_id
    )`;

export interface IncidentFilter {
  connection_ids: readonly number[] | undefined;
  status: Exclude<Status, 'cleared'> | undefined;
  severity: Severity | undefined;
  alert_type: AlertType | undefined;
}

function matches(filter: IncidentFilter): Sql {
  const { connection_ids = null, status = null, severity = null, alert_type = null } = filter;
  return sql`(
          ${ofServers(connection_ids)}
          and (${status}::text is null or a.status = ${status}::text)
          and (${severity}::text is null or a.severity = ${severity}::text)
          and (${alert_type}::text is null or a.alert_type = ${alert_type}::text)
        )`;
}

const rank: Sql = sql`array_position(array['critical', 'warning', 'info'], a.severity)`;

/** What the caller sees of incidents of which any alert matches. Connections that lead to one server are one server. */
const found = (principal: Principal, filter: IncidentFilter): Sql => sql`
    addresses as (
      select
        f.connection_id,
        min(f.connection_id) over (partition by f.value ->> 'system_identifier', f.value ->> 'postmaster_start_time') as server_id
      from ${factInForce('pg_server_info')} f
      where f.value ->> 'system_identifier' is not null and f.value ->> 'postmaster_start_time' is not null
    ),
    seen_alerts as (
      select
        p.incident_key, p.depth, coalesce(d.server_id, a.connection_id) as server_id, a.database_name, a.object_name,
        a.raised_by, a.probe_name, a.title, a.severity, a.status, a.triggered_at,
        a.acknowledged_by, ${rank} as severity_rank, ${levelOf(principal)} as level, ${matches(filter)} as is_match
      ${seenBy(principal)}
      join placed p on p.alert_id = a.id
      left join addresses d on d.connection_id = a.connection_id
    ),
    found as (
      select
        v.incident_key,
        min(v.severity_rank) as severity_rank,
        min(v.triggered_at) as triggered_at,
        max(v.triggered_at) as newest_at,
        count(distinct v.server_id)::int as server_count,
        count(*)::int as alert_count,
        (count(*) filter (where v.status = 'active'))::int as active_count,
        coalesce(array_agg(distinct v.acknowledged_by) filter (where v.status = 'acknowledged' and v.acknowledged_by is not null), '{}') as acknowledged_by,
        bool_or(v.status = 'active' and v.level >= 2) as may_acknowledge
      from seen_alerts v
      group by v.incident_key
      having bool_or(v.is_match)
    )`;

/** Alerts of one rule in an incident. */
export interface IncidentPart {
  depth: number;
  raised_by: string;
  probe_name: string | null;
  /** Of one of them. */
  title: string;
  /** What they are of, whatever the number of addresses by which it is seen. */
  object_count: number;
  server_count: number;
}

export interface IncidentRow {
  incident_key: string;
  severity_rank: number;
  triggered_at: string;
  server_count: number;
  alert_count: number;
  active_count: number;
  acknowledged_by: string[];
  may_acknowledge: boolean;
  /** The cause first. */
  parts: IncidentPart[];
}

export interface IncidentsRequest {
  effects: readonly Effect[];
  principal: Principal;
  filter: IncidentFilter;
}

/** Those with active alerts first, the gravest of these, then the newest. */
export const listRows = (
  db: Db,
  { effects, principal, filter }: IncidentsRequest,
  { limit, offset }: { limit: number; offset: number },
): Promise<IncidentRow[]> =>
  db.rows<IncidentRow>(sql`/* alerts.incidents */
    with recursive ${placed(effects)}, ${found(principal, filter)}
    select
      f.incident_key, f.severity_rank, f.triggered_at, f.server_count, f.alert_count, f.active_count, f.acknowledged_by,
      f.may_acknowledge, parts.parts
    from found f
    cross join lateral (
      select jsonb_agg(to_jsonb(g) order by g.depth, g.severity_rank, g.object_count desc, g.raised_by) as parts
      from (
        select
          min(v.depth) as depth, v.raised_by, min(v.probe_name) as probe_name, min(v.title) as title,
          min(v.severity_rank) as severity_rank,
          (count(distinct (v.server_id, v.database_name, v.object_name)))::int as object_count,
          count(distinct v.server_id)::int as server_count
        from seen_alerts v
        where v.incident_key = f.incident_key
        group by v.raised_by
      ) g
    ) parts
    order by f.active_count = 0, f.severity_rank, f.newest_at desc, f.incident_key
    limit ${limit} offset ${offset}`);

export interface IncidentSums {
  total: number;
  alert_count: number;
  active_count: number;
}

export const sumRows = (db: Db, { effects, principal, filter }: IncidentsRequest): Promise<IncidentSums> =>
  db.one<IncidentSums>(sql`/* alerts.incident_sums */
    with recursive ${placed(effects)}, ${found(principal, filter)}
    select
      count(distinct v.incident_key)::int as total, count(*)::int as alert_count,
      (count(*) filter (where v.status = 'active'))::int as active_count
    from seen_alerts v
    join found f on f.incident_key = v.incident_key`);

export interface IncidentAlert extends SeenAlert {
  /** Who or what causes it; null: not known. */
  detail: string | null;
  incident_key: string;
  cluster_id: number | null;
  cluster_name: string | null;
}

/** Alerts of these incidents that the caller can see: the cause first, of each incident so many. */
export const listAlertsOf = (
  db: Db,
  { effects, principal }: Pick<IncidentsRequest, 'effects' | 'principal'>,
  { keys, most }: { keys: readonly string[]; most: number },
): Promise<IncidentAlert[]> =>
  db.rows<IncidentAlert>(sql`/* alerts.of_incidents */
    with recursive ${placed(effects)}, chosen as (
      select
        a.id, p.incident_key,
        row_number() over (
          partition by p.incident_key
          order by p.depth, a.status = 'acknowledged', ${rank}, a.triggered_at desc, a.id desc
        ) as place
      ${seenBy(principal)}
      join placed p on p.alert_id = a.id
      where p.incident_key = any (${keys}::text[])
    )
    select ${alertRow}, ${levelOf(principal)} as level, a.detail, h.incident_key, s.cluster_id, ${clusterName} as cluster_name
    ${seenBy(principal)}
    join chosen h on h.id = a.id and h.place <= ${most}
    ${withCluster}
    order by h.incident_key, h.place`);
