// Alerts as notifications tell them: facts of the moment at which they are queued.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { ownAlert } from './alerts.queries.ts';
import type { AlertType, Operator, Severity, Status } from './alerts.types.ts';

/** How far a transition of an alert is told: which of its events count. */
export type NotifiedChange = 'fire' | 'clear' | 'acknowledge';

export interface FactsRow {
  alert_id: number;
  alert_type: AlertType;
  title: string;
  description: string;
  severity: Severity;
  status: Status;
  triggered_at: string;
  cleared_at: string | null;
  metric_name: string | null;
  metric_value: number | null;
  metric_unit: string | null;
  threshold_value: number | null;
  operator: Operator | null;
  connection_id: number;
  server_name: string;
  cluster_name: string | null;
  server_host: string;
  server_port: number;
  database_name: string | null;
  object_name: string | null;
  is_own: boolean;
  acknowledged_by: string | null;
  cleared_because: string | null;
  /** How many such transitions there have been, this one included. */
  sequence: number;
  /** The channel that it is about: others tell of it, where there are any. */
  about_channel: number | null;
}

const EVENTS: Record<NotifiedChange, readonly string[]> = {
  fire: ['fired', 'severity_changed'],
  clear: ['cleared'],
  acknowledge: ['acknowledged'],
};

/** Null for a server on its own: the name of its cluster is then that of the server. Of `withCluster`. */
export const clusterName: Sql = sql`case
        when cl.named_by_hand then cl.name
        when seen.cluster_type <> 'server' then seen.name
        when cl.auto_cluster_key is null or cl.auto_cluster_key not like 'standalone:%' then cl.name
      end`;

/** Where the connection `c` belongs. */
export const withCluster: Sql = sql`
    left join matriarch.connection_scopes s on s.connection_id = c.id
    left join matriarch.clusters cl on cl.id = s.cluster_id
    left join matriarch.topology_clusters seen
      on seen.cluster_key = coalesce(cl.auto_cluster_key, s.cluster_key) and not s.is_hidden`;

/** Of those that are told: what follows from another alert is not, and is told by that one. */
export const findFacts = (db: Db, kind: NotifiedChange, ids: readonly number[]): Promise<FactsRow[]> =>
  db.rows<FactsRow>(sql`/* alerts.facts */
    select
      a.id as alert_id, a.alert_type, a.title,
      -- How it ended, where that is known; what was wrong is said by the message before.
      coalesce(ended.message, a.description) as description,
      a.severity, a.status, a.triggered_at, a.cleared_at,
      a.metric_name, a.metric_value, a.metric_unit, a.threshold_value, a.operator, a.connection_id,
      c.name as server_name, ${clusterName} as cluster_name,
      c.host as server_host, c.port as server_port,
      nullif(a.database_name, '') as database_name, nullif(a.object_name, '') as object_name,
      ${ownAlert} as is_own, a.acknowledged_by, ended.message as cleared_because,
      (
        select count(*)::int
        from matriarch.alert_events e
        where e.alert_id = a.id and e.event_type = any (${EVENTS[kind]}::text[])
      ) as sequence,
      substring(a.raised_by from '^channel:(\\d+)$')::int as about_channel
    from matriarch.alerts a
    join matriarch.connections c on c.id = a.connection_id
    ${withCluster}
    left join lateral (
      select e.message
      from matriarch.alert_events e
      where ${kind}::text = 'clear' and e.alert_id = a.id and e.event_type = 'cleared'
      order by e.id desc
      limit 1
    ) ended on true
    where a.id = any (${ids}::bigint[])
      and (${kind}::text <> 'fire' or a.cause_id is null)
    order by a.id`);
