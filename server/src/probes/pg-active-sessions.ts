// What sessions do, sampled every second: sessions that are active or idle in a transaction, counted by what they wait
// for, statement, database, role, application and client. Guards: one pass over shared memory, grouped on the server;
// combinations beyond the largest 500 are summed, so totals are always those of all sessions; ours are left out.
import { defineProbe } from './types.ts';
import { counts, labels } from './view-columns.ts';

const MOST_COMBINATIONS = 500;

const keys = labels([
  ['state', 'active, those that hide it included; or idle in transaction (aborted ones too).'],
  ['wait_event_type', 'Kind of what they wait for; null: on the processor, or ready for it.'],
  ['wait_event', 'What they wait for.'],
  ['datname', 'Database; null for processes of the whole server.'],
  ['usename', 'Role; null for processes of the server itself.'],
  ['application_name', 'What the client calls itself; null where it does not say.'],
  ['client_addr', 'Address of the client; null for a socket.'],
  ['backend_type', 'client backend, autovacuum worker, walsender, …'],
]).map((column) => ({ ...column, kind: 'key' as const }));

/**
 * Processes of the server itself have no state: they are at work when they are on the processor or wait for
 * something that work waits for. All others wait for work, or pace themselves. Those hidden from our role have no
 * type. A session with track_activities off says nothing of itself, but what it waits for is known all the same: it is
 * at work unless it waits for its client to say what to do.
 */
const isAtWork = `case
    when a.wait_event_type = 'Activity' or pg_catalog.lower(a.wait_event) in ('walsenderwaitforwal', 'recoverypause')
      then false
    when a.state is null
      then a.backend_type is not null
        and coalesce(a.wait_event_type, 'IO') in ('IO', 'IPC', 'LWLock', 'Lock', 'BufferPin', 'Buffer')
    when a.state = 'disabled' then pg_catalog.lower(a.wait_event) is distinct from 'clientread'
    else a.state in (
      'active', 'fastpath function call', 'starting', 'idle in transaction', 'idle in transaction (aborted)'
    )
  end`;

const STEPS =
  '1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000';

/** Seconds since the moment, in steps: an age that stays the same is not stored again. */
const since = (moment: string) => `(array[0, ${STEPS}])[1 + pg_catalog.width_bucket(
      extract(epoch from pg_catalog.clock_timestamp() - ${moment})::integer, array[${STEPS}]
    )]`;

const combined = `with grouped as materialized (
  select
    case when a.state like 'idle in transaction%' then 'idle in transaction' else 'active' end as state,
    a.wait_event_type,
    a.wait_event,
    a.query_id,
    a.datid,
    a.usesysid,
    nullif(a.application_name, '') as application_name,
    a.client_addr,
    a.backend_type,
    pg_catalog.count(*) as sessions,
    pg_catalog.max(${since('a.xact_start')}) as xact_age,
    pg_catalog.max(case when a.state = 'active' then ${since('a.query_start')} end) as query_age
  from pg_catalog.pg_stat_get_activity(null) a
  where ${isAtWork}
    and a.pid <> pg_catalog.pg_backend_pid()
    and not (
      a.application_name in ('matriarch', 'matriarch live')
      and pg_catalog.pg_get_userbyid(a.usesysid) = session_user
    )
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9
), ranked as (
  select
    g.*,
    pg_catalog.row_number() over (
      order by
        g.sessions desc,
        g.state,
        g.wait_event_type,
        g.wait_event,
        g.query_id,
        g.datid,
        g.usesysid,
        g.application_name,
        g.client_addr,
        g.backend_type
    ) as place
  from grouped g
)`;

/** The largest so many combinations one by one, the rest in sums. */
export const activeSessions = (most: number) => `${combined}
select
  r.state,
  r.wait_event_type,
  r.wait_event,
  d.datname::text as datname,
  case when r.usesysid is not null then pg_catalog.pg_get_userbyid(r.usesysid)::text end as usename,
  r.application_name,
  pg_catalog.host(r.client_addr) as client_addr,
  r.backend_type,
  r.query_id,
  false as is_rest,
  r.sessions::integer as sessions,
  r.xact_age as oldest_xact_seconds,
  r.query_age as oldest_query_seconds
from ranked r
left join pg_catalog.pg_database d on d.oid = r.datid
where r.place <= ${most}
union all
select
  r.state,
  r.wait_event_type,
  null,
  null,
  null,
  null,
  null,
  null,
  null,
  true,
  pg_catalog.sum(r.sessions)::integer,
  pg_catalog.max(r.xact_age),
  pg_catalog.max(r.query_age)
from ranked r
where r.place > ${most}
group by 1, 2`;

export const probe = defineProbe({
  name: 'pg_active_sessions',
  description: 'Active sessions by what they wait for, statement, database, role, application and client.',
  level: 'S',
  intervalSeconds: 1,
  guardSeconds: 10,
  adaptive: { slowestSeconds: 10, busy: { column: 'state', value: 'active' } },
  retentionDays: 7,
  keeps: 'objects',
  rollUpBy: 'wait-class',
  hidden: { without: 'pg_read_all_stats' },
  settings: ['track_activities', 'compute_query_id'],
  columns: [
    ...keys,
    {
      name: 'query_id',
      type: 'bigint',
      kind: 'key',
      description: 'Identity of the statement, or the last one; null where compute_query_id is off.',
    },
    {
      name: 'is_rest',
      type: 'boolean',
      kind: 'key',
      description: `True: all combinations beyond the largest ${MOST_COMBINATIONS} of this state and kind of wait.`,
    },
    ...counts([
      [
        'sessions',
        'Sessions that are alike in state, wait, database, role, application, client and statement.',
      ],
    ]),
    {
      name: 'oldest_xact_seconds',
      type: 'integer',
      kind: 'gauge',
      unit: 'seconds',
      description: 'Age of their oldest transaction, rounded down to 1, 2, 5, 10, 20, 50, ….',
    },
    {
      name: 'oldest_query_seconds',
      type: 'integer',
      kind: 'gauge',
      unit: 'seconds',
      description: 'Age of their oldest running statement, rounded down to 1, 2, 5, 10, 20, 50, ….',
    },
  ],
  // The timeout is that of the session: another one would take two more statements every second.
  caps: { maxRows: MOST_COMBINATIONS + 100, maxBytes: 1024 * 1024, maxText: 128 },
  sql: () => activeSessions(MOST_COMBINATIONS),
});
