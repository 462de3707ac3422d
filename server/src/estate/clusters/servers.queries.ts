// What is shown of a server wherever servers are shown: its role, the last error, the newest sample. Fragments on a row
// `c` of matriarch.connections; nothing here writes.
import { sql } from '../../kernel/sql.ts';
import { newestRun, newestRuns } from '../../store/read/doors/relations.ts';

export interface ServerStateRow {
  is_monitored: boolean;
  /** It answered within half a minute; then, or when it is not monitored, the three that follow do not matter: null. */
  is_fresh: boolean;
  created_at: string | null;
  last_sample_at: string | null;
  /** How often connectivity is sampled; null until the probes are known to the datastore. */
  interval_seconds: number | null;
  connection_error: string | null;
}

/** Joins of a row `c` that the other fragments need. */
export const serverJoins = sql`
  left join matriarch.topology_nodes n on n.connection_id = c.id
  left join matriarch.connection_states state on state.connection_id = c.id
  left join ${newestRun('pg_connectivity')} ping on ping.connection_id = c.id`;

/** The role a person gave belongs to a pinned membership; otherwise it only fills in until one is detected. */
export const serverRole = sql`case c.membership_source
    when 'manual' then coalesce(c.role_override, n.primary_role)
    else coalesce(n.primary_role, c.role_override)
  end`;

/** It answered within half a minute. */
export const isFresh = sql`coalesce(ping.collected_at > now() - interval '30 seconds', false)`;
/** Then its status follows from ages. */
const isDoubtful = sql`c.is_monitored and not ${isFresh}`;

/**
 * What the status follows from. The newest sample is that of anything read from the server; its machine may be told
 * about by others. A fresh answer to the most frequent probe is new enough, and spares looking at all the others, and at
 * what the probe is set to.
 */
export const serverState = sql`
  c.is_monitored, ${isFresh} as is_fresh,
  case when c.is_monitored then state.connection_error end as connection_error,
  case when ${isDoubtful} then c.created_at end as created_at,
  case when ${isDoubtful} then (
    select max(s.collected_at)
    from ${newestRuns} s
    where s.connection_id = c.id and s.probe <> 'host' and not starts_with(s.probe, 'pg_sys_')
  ) end as last_sample_at,
  case when ${isDoubtful} then (
    select e.interval_seconds
    from matriarch.effective_probe_settings e
    where e.connection_id = c.id and e.probe_name = 'pg_connectivity'
  ) end as interval_seconds`;

/** Another number whenever an alert fires, clears or is acknowledged. */
export const alertsVersion = sql`(select max(e.id) from matriarch.alert_events e)`;
