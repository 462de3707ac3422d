// What the datastore knows of this product's own work, in two statements.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface OwnState {
  now_ms: number;
  sessions: number;
  most_sessions: number;
  waiting: number;
  oldest_waiting_seconds: number | null;
  dead: number;
  collectors: number;
  collectors_without_spool: number;
  /** Of monitored connections. */
  connection_ids: number[];
}

export const readOwnState = (db: Db) =>
  db.one<OwnState>(sql`/* utilities.own_state */
    select
      (extract(epoch from clock_timestamp()) * 1000)::double precision as now_ms,
      (
        select count(*)::integer
        from pg_stat_activity a
        where a.datname = current_database() and a.application_name like 'matriarch%'
      ) as sessions,
      current_setting('max_connections')::integer as most_sessions,
      n.waiting, n.oldest_waiting_seconds, n.dead, c.collectors, c.collectors_without_spool,
      array(select id from matriarch.connections where is_monitored order by id) as connection_ids
    from
      (
        select
          count(*) filter (where state in ('queued', 'sending'))::integer as waiting,
          extract(epoch from now() - min(queued_at) filter (where state in ('queued', 'sending')))::double precision
            as oldest_waiting_seconds,
          count(*) filter (where state = 'dead')::integer as dead
        from matriarch.notifications
        where state in ('queued', 'sending', 'dead')
      ) n
      cross join (
        select
          count(*)::integer as collectors,
          count(*) filter (where spool_problem is not null)::integer as collectors_without_spool
        from matriarch.collectors
        where expires_at > now()
      ) c`);

export interface PartState {
  part: string;
  /** Since it succeeded last in any process; null: not known. */
  good_age_seconds: number | null;
  /** Since when it fails in some process; null: every process that reported says that it works. */
  failing_seconds: number | null;
}

export const readPartStates = (db: Db) =>
  db.rows<PartState>(sql`/* utilities.own_parts */
    select
      p.part,
      extract(epoch from now() - max(p.succeeded_at))::double precision as good_age_seconds,
      extract(epoch from now() - min(p.failing_since))::double precision as failing_seconds
    from matriarch.part_states p
    where p.reported_at > now() - interval '5 minutes'
    group by p.part
    order by p.part`);
