// Who waits for whom: a row for each blocked session and each session that blocks it, with the root of the chain.
// Cheap while nothing waits: then only the table of locks is read. Guards: at most 100 waiting sessions are looked
// into, oldest first; chains end at 20; texts are cut and secrets in them blanked.
import { type Capabilities, type Column, columnOrNull, defineProbe } from './types.ts';
import { counts, labels, notBelowZero, times } from './view-columns.ts';

const LOCKS = 'pg_catalog.pg_locks';

const seconds = (name: string, description: string): Column => ({
  name,
  type: 'double precision',
  kind: 'gauge',
  unit: 'seconds',
  description,
});
const query = (name: string, description: string): Column => ({
  name,
  type: 'text',
  kind: 'label',
  description,
  scrub: true,
});

const since = (moment: string) =>
  `(${notBelowZero(`extract(epoch from pg_catalog.clock_timestamp() - ${moment})`)})::double precision`;

/** Modes of locks on tables, each with the modes that it conflicts with, as bits of their numbers. */
const CONFLICTS = `(
    values
      ('AccessShareLock', 1, 256),
      ('RowShareLock', 2, 384),
      ('RowExclusiveLock', 3, 480),
      ('ShareUpdateExclusiveLock', 4, 496),
      ('ShareLock', 5, 472),
      ('ShareRowExclusiveLock', 6, 504),
      ('ExclusiveLock', 7, 508),
      ('AccessExclusiveLock', 8, 510)
  )`;

/**
 * The oldest prepared transaction that each waiting session waits for. pg_blocking_pids() says 0 for it, and its locks
 * have no process; which transaction holds them is what the lock on its own id says.
 */
const prepared = `locks_of_prepared as materialized (
  select l.*
  from ${LOCKS} l
  where l.pid is null
    and l.granted
    and exists (
      select
      from edge e
      where e.blocking_pid = 0
    )
), prepared as materialized (
  select distinct on (w.pid)
    w.pid,
    x.gid,
    x.owner::text as owner,
    x.database::text as database,
    x.prepared as since
  from waiting w
  join edge e on e.pid = w.pid and e.blocking_pid = 0
  join locks_of_prepared l
    on l.locktype = w.locktype
    and (l.database, l.relation, l.page, l.tuple, l.virtualxid, l.transactionid, l.classid, l.objid, l.objsubid)
      is not distinct from
      (w.database, w.relation, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid)
  join ${CONFLICTS} as wanted (mode, number, conflicts) on wanted.mode = w.mode
  join ${CONFLICTS} as held (mode, number, conflicts)
    on held.mode = l.mode
    and wanted.conflicts & (1 << held.number) <> 0
  join locks_of_prepared own on own.locktype = 'transactionid' and own.virtualtransaction = l.virtualtransaction
  join pg_catalog.pg_prepared_xacts x on x.transaction = own.transactionid
  order by w.pid, x.prepared, x.gid
)`;

const lockObject = `case w.locktype
    when 'relation' then coalesce(w.relation_name, 'relation ' || w.relation)
    when 'extend' then 'extension of ' || coalesce(w.relation_name, 'relation ' || w.relation)
    when 'page' then 'page ' || w.page || ' of ' || coalesce(w.relation_name, 'relation ' || w.relation)
    when 'tuple' then
      'row (' || w.page || ',' || w.tuple || ') of ' || coalesce(w.relation_name, 'relation ' || w.relation)
    when 'transactionid' then 'transaction ' || w.transactionid::text
    when 'virtualxid' then 'virtual transaction ' || w.virtualxid
    when 'advisory' then 'advisory ' || w.classid || '/' || w.objid || '/' || w.objsubid
    else pg_catalog.concat_ws(' ', w.locktype, w.classid, w.objid)
  end`;

/**
 * Edges from each waiting session to its blockers, then one way up from each: along who does not wait, else who has
 * waited longest. Those who merely queue in front block too, so following every edge would never end in a crowd.
 */
const trees = (capabilities: Capabilities) => `with recursive waiting as materialized (
  select
    k.*,
    ${columnOrNull(capabilities, { view: LOCKS, alias: 'k', name: 'waitstart', type: 'timestamp with time zone' })} as since
  from ${LOCKS} k
  where not k.granted
    and k.pid is not null
  order by since nulls last, k.pid
  limit 100
), edge as materialized (
  select distinct w.pid, b.pid as blocking_pid
  from waiting w
  cross join lateral pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) as b (pid)
), activity as materialized (
  select a.*, d.datname::text as datname, pg_catalog.pg_get_userbyid(a.usesysid)::text as usename
  from (
    select e.pid
    from edge e
    union
    select e.blocking_pid
    from edge e
  ) u
  cross join lateral pg_catalog.pg_stat_get_activity(u.pid) a
  left join pg_catalog.pg_database d on d.oid = a.datid
), parent as materialized (
  select distinct on (e.pid) e.pid, e.blocking_pid
  from edge e
  left join waiting w on w.pid = e.blocking_pid
  order by e.pid, w.pid is not null, w.since nulls last, e.blocking_pid
), climb (pid, top_pid, depth) as (
  select p.pid, p.blocking_pid, 1
  from parent p
  union all
  select c.pid, p.blocking_pid, c.depth + 1
  from climb c
  join parent p on p.pid = c.top_pid
  where c.depth < 20
), root as materialized (
  select c.pid, c.top_pid as root_pid, c.depth
  from climb c
  where not exists (
    select
    from parent p
    where p.pid = c.top_pid
  )
), described as materialized (
  select distinct on (w.pid)
    w.*,
    (
      select n.nspname || '.' || c.relname
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.oid = w.relation
        and w.database = (
          select d.oid
          from pg_catalog.pg_database d
          where d.datname = pg_catalog.current_database()
        )
    ) as relation_name
  from waiting w
  order by w.pid, w.since nulls last
), ${prepared}`;

export const probe = defineProbe({
  name: 'pg_locks_tree',
  description: 'Blocked sessions, who blocks them, and the root of each chain.',
  level: 'S',
  intervalSeconds: 10,
  guardSeconds: 60,
  // How long a session has waited is alerted on, and is a minute old otherwise.
  hurries: 'pg_stat_activity',
  retentionDays: 7,
  keeps: 'samples',
  views: [LOCKS],
  columns: [
    { name: 'pid', type: 'integer', kind: 'key', description: 'Session that waits.' },
    {
      name: 'blocking_pid',
      type: 'integer',
      kind: 'key',
      description: 'Session it waits for; 0 is a prepared transaction.',
    },
    {
      name: 'root_pid',
      type: 'integer',
      kind: 'label',
      description: 'Where the chain ends; null in a circle.',
    },
    ...counts([['depth', 'Sessions from it to the root.']]),
    ...labels([
      ['datname', 'Database of the waiting session.'],
      ['usename', 'Its role.'],
      ['application_name', 'What its client calls itself.'],
    ]),
    query('query', 'Its statement; secrets are blanked.'),
    ...labels([
      ['locktype', 'relation, transactionid, tuple, advisory, …'],
      ['mode', 'Lock it wants.'],
      ['lock_object', "What it wants locked; by name in the connection's own database."],
    ]),
    ...times([['waitstart', 'Since when it waits; null in the first moment of a wait.']]),
    seconds('wait_seconds', 'How long it has waited.'),
    ...labels([
      ['blocking_datname', 'Database of the blocking session.'],
      ['blocking_usename', 'Its role; the owner of a prepared transaction.'],
      ['blocking_application_name', 'What its client calls itself.'],
      ['blocking_client_addr', 'Where it comes from; null for a socket.'],
      ['blocking_state', 'active, idle in transaction, …'],
    ]),
    query('blocking_query', 'Its statement, or the last one; secrets are blanked.'),
    ...times([['blocking_xact_start', 'When its transaction began, or was prepared.']]),
    seconds('blocking_xact_seconds', 'How long its transaction has run, or has been prepared.'),
    ...labels([
      ['blocking_gid', 'Identifier of a prepared transaction that blocks: rollback prepared ends it.'],
    ]),
    seconds('blocking_idle_seconds', 'How long it has been idle in its transaction; null while it works.'),
  ],
  caps: { maxRows: 1000, maxBytes: 4 * 1024 * 1024, maxText: 1024, timeoutMs: 5000 },
  sql: (capabilities) => `${trees(capabilities)}
select
  e.pid,
  e.blocking_pid,
  r.root_pid,
  r.depth,
  a.datname,
  a.usename,
  a.application_name,
  a.query,
  w.locktype,
  w.mode,
  ${lockObject} as lock_object,
  w.since as waitstart,
  ${since('w.since')} as wait_seconds,
  coalesce(b.datname, p.database) as blocking_datname,
  coalesce(b.usename, p.owner) as blocking_usename,
  b.application_name as blocking_application_name,
  pg_catalog.host(b.client_addr) as blocking_client_addr,
  b.state as blocking_state,
  b.query as blocking_query,
  coalesce(b.xact_start, p.since) as blocking_xact_start,
  ${since('coalesce(b.xact_start, p.since)')} as blocking_xact_seconds,
  p.gid as blocking_gid,
  case when b.state like 'idle in transaction%' then ${since('b.state_change')} end as blocking_idle_seconds
from edge e
join described w on w.pid = e.pid
left join root r on r.pid = e.pid
left join activity a on a.pid = e.pid
left join activity b on b.pid = e.blocking_pid
left join prepared p on p.pid = e.pid and e.blocking_pid = 0
order by e.blocking_pid in (select q.pid from waiting q), w.since nulls last, e.pid, e.blocking_pid`,
});
