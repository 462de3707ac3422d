// Every session of the server at one moment, our own left out. Guards: what statements say is cut, and secrets in it
// are blanked before anything keeps it; when there are more sessions than kept, the busy and old ones stay.
import { columnOrNull, defineProbe } from './types.ts';
import { counts, labels, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_activity';
const LOCKS = 'pg_catalog.pg_locks';

const plain = [
  { name: 'datid', type: 'bigint', kind: 'label', description: 'Object id of the database.' },
  ...labels([['datname', 'Database.']]),
  { name: 'pid', type: 'integer', kind: 'key', description: 'Process.' },
  {
    name: 'leader_pid',
    type: 'integer',
    kind: 'label',
    description: 'Leader of a parallel group; null for leaders.',
  },
  { name: 'usesysid', type: 'bigint', kind: 'label', description: 'Object id of the role.' },
  ...labels([
    ['usename', 'Role.'],
    ['application_name', 'What the client calls itself.'],
    ['client_hostname', "The client's name, with log_hostname."],
  ]),
  {
    name: 'client_port',
    type: 'integer',
    kind: 'label',
    description: 'TCP port of the client; -1 a socket.',
  },
  ...times([
    ['backend_start', 'When the process began.'],
    ['xact_start', 'When its transaction began.'],
    ['query_start', 'When its statement, or the last one, began.'],
    ['state_change', 'When its state last changed.'],
  ]),
  ...labels([
    ['wait_event_type', 'Kind of what it waits for.'],
    ['wait_event', 'What it waits for.'],
    ['state', 'active, idle, idle in transaction, …; disabled: it hides its activity.'],
  ]),
  {
    name: 'query_id',
    type: 'bigint',
    kind: 'label',
    description: 'Identity of the statement, where computed.',
  },
  {
    name: 'query',
    type: 'text',
    kind: 'label',
    description: 'The statement, or the last one; secrets are blanked.',
    scrub: true,
  },
  ...labels([['backend_type', 'client backend, autovacuum worker, walsender, …']]),
] as const;

/** Where our role may not see the type, only sessions of others can be hidden. */
const CLIENT = { column: 'backend_type', in: ['client backend', null] } as const;
/** With track_activities off for its role a session does not say what it does; what it waits for is known all the same. */
const SILENT = 'disabled';
/** One that hides its activity is at work unless it waits for its client. */
const ACTIVE = [
  { column: 'state', in: ['active', SILENT] },
  {
    either: [
      { column: 'state', in: ['active'] },
      { column: 'wait_event', notIn: ['ClientRead'] },
    ],
  },
] as const;
const TELLS_ACTIVE = { column: 'state', in: ['active'] } as const;
const WAITING = { column: 'wait_event_type', in: ['Lock'] } as const;

/** Of more sessions than these, the rest is told by kind, so that their number is that of the server all the same. */
const MOST_LISTED = 1000;
const STANDS_FOR = 'stands_for';
const IS_VACUUM = 'is_vacuum';

export const probe = defineProbe({
  name: 'pg_stat_activity',
  description: 'Sessions and what they do.',
  level: 'S',
  intervalSeconds: 60,
  guardSeconds: 120,
  retentionDays: 7,
  keeps: 'samples',
  hidden: { without: 'pg_read_all_stats', column: 'query' },
  views: [VIEW, LOCKS],
  settings: ['track_activities'],
  silent: { column: 'state', value: SILENT, role: 'usename', database: 'datname' },
  columns: [
    ...plain,
    ...labels([['client_addr', 'Address of the client; null for a socket.']]),
    {
      name: 'backend_xid',
      type: 'bigint',
      kind: 'label',
      description: 'Its transaction id, once it has written.',
    },
    {
      name: 'backend_xmin',
      type: 'bigint',
      kind: 'label',
      description: 'What it keeps from being vacuumed.',
    },
    ...times([
      [
        'waitstart',
        'Since when it waits for a lock; null while it waits for none, and in the first moment of a wait.',
      ],
    ]),
    {
      name: IS_VACUUM,
      type: 'boolean',
      kind: 'label',
      description: 'It vacuums a table: its transaction keeps no dead rows, however long it takes.',
    },
    ...counts([
      [
        STANDS_FOR,
        'Sessions that the row is about: 1; of very many, those beyond the first are grouped by kind.',
      ],
    ]),
  ],
  metrics: [
    {
      name: 'count',
      unit: 'count',
      description: 'Sessions, background processes included.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'rows', where: [], times: STANDS_FOR },
    },
    {
      name: 'client_count',
      unit: 'count',
      description: 'Sessions of clients: what max_connections limits.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'rows', where: [CLIENT], times: STANDS_FOR },
    },
    {
      name: 'connection_utilization_percent',
      wireName: 'connection_utilization_percent',
      unit: 'percent',
      description: 'Sessions of clients, our own left out, of max_connections.',
      combine: 'sum',
      worse: 'more',
      value: {
        kind: 'share',
        of: 'client_count',
        limit: { probe: 'pg_server_info', column: 'max_connections' },
        scale: 100,
      },
    },
    {
      name: 'usable_connections_percent',
      unit: 'percent',
      description: 'Sessions of clients, our own left out, of what is not reserved of max_connections.',
      combine: 'sum',
      worse: 'more',
      value: {
        kind: 'share',
        of: 'client_count',
        limit: { probe: 'pg_server_info', column: 'usable_connections' },
        scale: 100,
      },
    },
    {
      name: 'active_count',
      unit: 'count',
      description: 'Sessions of clients that run a statement, those that hide their activity included.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'rows', where: [CLIENT, ...ACTIVE], times: STANDS_FOR },
    },
    {
      name: 'silent_count',
      unit: 'count',
      description: 'Sessions of clients that hide their activity: track_activities is off for them.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'rows', where: [CLIENT, { column: 'state', in: [SILENT] }], times: STANDS_FOR },
    },
    {
      name: 'blocked_count',
      unit: 'count',
      description: 'Sessions that wait for a lock.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'rows', where: [WAITING], times: STANDS_FOR },
    },
    {
      name: 'max_query_duration_seconds',
      unit: 'seconds',
      description: 'How long the oldest statement of a client has been running.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'age', since: 'query_start', where: [CLIENT, TELLS_ACTIVE] },
    },
    {
      name: 'max_xact_duration_seconds',
      unit: 'seconds',
      description: 'How long the oldest transaction of a client that does not vacuum has been open.',
      combine: 'max',
      worse: 'more',
      value: {
        kind: 'age',
        since: 'xact_start',
        where: [CLIENT, { column: 'xact_start', notIn: [null] }, { column: IS_VACUUM, notIn: [true] }],
      },
    },
    {
      name: 'idle_in_transaction_seconds',
      unit: 'seconds',
      description: 'How long a client has sat idle in a transaction, at most.',
      combine: 'max',
      worse: 'more',
      value: {
        kind: 'age',
        since: 'state_change',
        where: [{ column: 'state', in: ['idle in transaction', 'idle in transaction (aborted)'] }],
      },
    },
    {
      name: 'max_lock_wait_seconds',
      unit: 'seconds',
      description: 'How long a session has waited for a lock, at most.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'age', since: 'waitstart', where: [WAITING, { column: 'waitstart', notIn: [null] }] },
    },
  ],
  caps: { maxRows: 2 * MOST_LISTED, maxBytes: 8 * 1024 * 1024, maxText: 1024, timeoutMs: 5000 },
  // Locks are read, once, only where a session waits for one.
  sql: (capabilities) => `with waiting as materialized (
  select
    l.pid,
    pg_catalog.min(${columnOrNull(capabilities, { view: LOCKS, alias: 'l', name: 'waitstart', type: 'timestamp with time zone' })}) as since
  from ${LOCKS} l
  where not l.granted
  group by l.pid
), vacuuming as materialized (
  select v.pid
  from pg_catalog.pg_stat_get_progress_info('VACUUM') v
)
select
${viewColumns(capabilities, { view: VIEW, alias: 'a' }, plain)},
  pg_catalog.host(a.client_addr) as client_addr,
  a.backend_xid::text::bigint as backend_xid,
  a.backend_xmin::text::bigint as backend_xmin,
  case when a.wait_event_type = 'Lock' then (select w.since from waiting w where w.pid = a.pid) end as waitstart,
  a.pid in (select v.pid from vacuuming v) as ${IS_VACUUM},
  a.${STANDS_FOR}
from (
  select
    b.*,
    pg_catalog.count(*) over (alike)::integer as ${STANDS_FOR},
    pg_catalog.row_number() over (alike order by b.place) as nth
  from (
    select
      a.*,
      pg_catalog.row_number() over (
        order by
          a.state is not distinct from 'idle',
          a.xact_start nulls last,
          a.state_change nulls last,
          a.pid
      ) as place
    from ${VIEW} a
    where a.pid <> pg_catalog.pg_backend_pid()
      and not (a.usename = session_user and a.application_name in ('matriarch', 'matriarch live'))
  ) b
  window alike as (
    partition by
      case when b.place <= ${MOST_LISTED} then b.place end,
      b.datname, b.usename, b.application_name, b.client_addr, b.backend_type, b.state,
      b.wait_event_type, b.wait_event
  )
) a
where a.nth = 1
order by a.place`,
});
