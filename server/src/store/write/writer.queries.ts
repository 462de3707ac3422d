// The write path's statements. Each is one statement, thus one transaction that cannot be left open by a writer
// that falls asleep. Each locks the leases it relies on (in the order of ids, as the heartbeat does), so a lease
// changes hands either before the statement, which then writes nothing for it, or after.
import { prepared, type Sql, sql } from '../../kernel/sql.ts';
import type { ConnectionReport, Roster } from '../layout/types.ts';
import { LEASES_OF_INPUT } from './fence.queries.ts';
import type { QueuedSnapshot } from './snapshots/snapshot-queue.ts';

const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

/**
 * Texts of JSON, none of which holds a newline as such, in one parameter. In an array every quote would be escaped and
 * read again, which takes longer than all the rest.
 */
const jsonTexts = (texts: readonly (string | null)[]): Sql =>
  sql`string_to_array(${texts.map((text) => text ?? '').join('\n')}::text, chr(10), '')`;

/**
 * Answers the leases that were in force: {connection_id, epoch}. Nothing was written for any other. What is known already is looked up row
 * by row (`limit` keeps the planner from joining): the plan is made once, while the tables may be small, and would read them whole ever after.
 */
export function flushRuns(runs: readonly QueuedSnapshot[]): Sql {
  const column = <T>(read: (run: QueuedSnapshot) => T) => runs.map(read);
  const ids = [...new Set(column((run) => run.connection_id))];
  return prepared(sql`
    /* store.flush */
    with input as (
      select *
      from unnest(
        ${column((run) => run.connection_id)}::integer[],
        ${column((run) => run.epoch)}::bigint[],
        ${column((run) => run.probe)}::text[],
        ${column((run) => run.database_name)}::text[],
        ${column((run) => iso(run.attempted_at))}::timestamptz[],
        ${column((run) => iso(run.content?.collected_at))}::timestamptz[],
        ${column((run) => run.took_ms)}::double precision[],
        ${column((run) => run.outcome)}::text[],
        ${column((run) => run.reason)}::text[],
        ${column((run) => run.mend)}::text[],
        ${jsonTexts(column((run) => run.content?.rows ?? null))},
        ${jsonTexts(column((run) => run.content?.items ?? null))},
        ${column((run) => run.content?.row_count ?? null)}::integer[],
        ${column((run) => run.content?.content_hash ?? null)}::text[],
        ${column((run) => run.cause)}::text[],
        ${column((run) => run.late ?? false)}::boolean[],
        ${column((run) => iso(run.switched_at))}::timestamptz[]
      ) as i (
        connection_id, epoch, probe, database_name, attempted_at, collected_at, took_ms, outcome, reason, mend,
        rows, items, row_count, content_hash, cause, late, switched_at
      )
    ), fence as materialized (
      select l.connection_id, l.epoch
      from matriarch.connection_leases l
      where l.connection_id = any (${ids}::integer[])
      order by l.connection_id
      for share
    ), accepted as materialized (
      select i.*, c.content_hash as known_hash, coalesce(c.collected_at < i.switched_at, false) as is_switch
      from input i
      join fence f on f.connection_id = i.connection_id
      left join matriarch.lease_epochs e on e.connection_id = i.connection_id and e.epoch = i.epoch + 1
      left join lateral (
        select s.connection_id, s.attempted_at, s.collected_at, s.content_hash
        from metrics.current_snapshots s
        where s.connection_id = i.connection_id and s.probe = i.probe and s.database_name = i.database_name
        limit 1
      ) c on true
      -- What comes late is true if it was read before another collector took the lease.
      where (f.epoch = i.epoch or (i.late and i.attempted_at < e.taken_at))
        -- Never older over newer, except over a time that lies ahead: then a clock was set back.
        and (
          c.connection_id is null
          or c.attempted_at <= i.attempted_at
          or c.attempted_at > now() + interval '1 minute'
        )
    ), changed as materialized (
      select
        a.connection_id, a.probe, a.database_name, a.collected_at, a.is_switch, a.items::jsonb as items,
        b.items as before
      from accepted a
      cross join lateral (
        select coalesce(jsonb_object_agg(f.item_key, f.value), '{}') as items
        from metrics.facts f
        where f.connection_id = a.connection_id
          and f.probe = a.probe
          and f.database_name = a.database_name
          and f.valid_to is null
      ) b
      where a.items is not null and a.content_hash is distinct from a.known_hash
    ), item as materialized (
      select c.connection_id, c.probe, c.database_name, c.collected_at, c.is_switch, e.key as item_key, e.value
      from changed c
      cross join lateral jsonb_each(c.items) e
      where c.before -> e.key is distinct from e.value
    ), closed as (
      update metrics.facts f
      set
        valid_to = greatest(c.collected_at, f.valid_from + interval '1 microsecond'),
        closed_by_switch = c.is_switch
      from changed c
      where f.connection_id = c.connection_id
        and f.probe = c.probe
        and f.database_name = c.database_name
        and f.valid_to is null
        and c.items -> f.item_key is distinct from f.value
    ), opened as (
      insert into metrics.facts (
        connection_id, probe, database_name, item_key, valid_from, value, opened_by_switch
      )
      select
        i.connection_id,
        i.probe,
        i.database_name,
        i.item_key,
        greatest(i.collected_at, f.valid_from + interval '1 microsecond'),
        i.value,
        i.is_switch
      from item i
      left join lateral (
        select v.valid_from
        from metrics.facts v
        where v.connection_id = i.connection_id
          and v.probe = i.probe
          and v.database_name = i.database_name
          and v.item_key = i.item_key
          and v.valid_to is null
        limit 1
      ) f on true
      on conflict (connection_id, probe, database_name, item_key, valid_from)
        do update set value = excluded.value, valid_to = null
    ), nothing as (
      -- A first look that finds nothing leaves a version without length: what comes later is a change.
      insert into metrics.facts (connection_id, probe, database_name, item_key, valid_from, valid_to, value)
      select c.connection_id, c.probe, c.database_name, '', c.collected_at, c.collected_at, '{}'
      from changed c
      where c.items = '{}'
        and not exists (
          select 1
          from metrics.facts f
          where f.connection_id = c.connection_id and f.probe = c.probe and f.database_name = c.database_name
        )
      on conflict (connection_id, probe, database_name, item_key, valid_from) do nothing
    ), stored as (
      insert into metrics.current_snapshots as s (
        connection_id, probe, database_name, attempted_at, collected_at, took_ms, outcome, reason, mend,
        rows, row_count, content_hash, cause
      )
      select
        a.connection_id, a.probe, a.database_name, a.attempted_at, a.collected_at, a.took_ms, a.outcome, a.reason,
        a.mend,
        -- Rows that are there already are neither parsed nor written again: that is most of what a run costs here.
        case when a.content_hash is distinct from a.known_hash then a.rows::jsonb end,
        a.row_count, a.content_hash, a.cause
      from accepted a
      order by a.connection_id, a.probe, a.database_name
      on conflict (connection_id, probe, database_name) do update
      set
        attempted_at = excluded.attempted_at,
        took_ms = excluded.took_ms,
        outcome = excluded.outcome,
        reason = excluded.reason,
        mend = excluded.mend,
        cause = excluded.cause,
        collected_at = coalesce(excluded.collected_at, s.collected_at),
        rows = case
          when excluded.collected_at is null or excluded.content_hash = s.content_hash then s.rows
          else excluded.rows
        end,
        row_count = case when excluded.collected_at is null then s.row_count else excluded.row_count end,
        content_hash = case when excluded.collected_at is null then s.content_hash else excluded.content_hash end
    )
    select f.connection_id, f.epoch
    from fence f`);
}

export function flushReports(reports: readonly ConnectionReport[]): Sql {
  return sql`
    /* store.reports */
    with input as (
      select *
      from unnest(
        ${reports.map((report) => report.connection_id)}::integer[],
        ${reports.map((report) => report.epoch)}::bigint[],
        ${reports.map((report) => iso(report.at))}::timestamptz[],
        ${reports.map((report) => report.error)}::text[],
        ${reports.map((report) => report.consecutive_failures)}::integer[]
      ) as i (connection_id, epoch, at, error, consecutive_failures)
    ), fence as materialized ${LEASES_OF_INPUT}
    insert into matriarch.connection_states as s (
      connection_id, last_connected_at, last_error_at, connection_error, failing_since, consecutive_failures
    )
    select
      i.connection_id,
      case when i.error is null then i.at end,
      case when i.error is not null then i.at end,
      i.error,
      case when i.error is not null then i.at end,
      i.consecutive_failures
    from input i
    join fence f on f.connection_id = i.connection_id and f.epoch = i.epoch
    order by i.connection_id
    on conflict (connection_id) do update
    set
      last_connected_at = coalesce(excluded.last_connected_at, s.last_connected_at),
      last_error_at = coalesce(excluded.last_error_at, s.last_error_at),
      connection_error = excluded.connection_error,
      failing_since = case
        when excluded.connection_error is not null then coalesce(s.failing_since, excluded.failing_since)
      end,
      consecutive_failures = excluded.consecutive_failures`;
}

/** Ends what is known of databases that no longer exist: their history is closed, their snapshots go. */
export function flushRosters(rosters: readonly Roster[]): Sql {
  const names = JSON.stringify(rosters.map(({ databases }) => databases));
  return sql`
    /* store.rosters */
    with input as (
      select i.*, ${names}::jsonb -> (i.position - 1)::integer as databases
      from unnest(
        ${rosters.map((roster) => roster.connection_id)}::integer[],
        ${rosters.map((roster) => roster.epoch)}::bigint[],
        ${rosters.map((roster) => iso(roster.at))}::timestamptz[]
      ) with ordinality as i (connection_id, epoch, at, position)
    ), fence as materialized ${LEASES_OF_INPUT}, gone as (
      delete from metrics.current_snapshots s
      using input i
      join fence f on f.connection_id = i.connection_id and f.epoch = i.epoch
      where s.connection_id = i.connection_id
        and s.database_name <> ''
        and not i.databases ? s.database_name
    )
    update metrics.facts h
    set valid_to = greatest(i.at, h.valid_from + interval '1 microsecond')
    from input i
    join fence f on f.connection_id = i.connection_id and f.epoch = i.epoch
    where h.connection_id = i.connection_id
      and h.database_name <> ''
      and h.valid_to is null
      and not i.databases ? h.database_name`;
}
