// What a moment of a server consists of. Guards: every part says of when it is; what is not known is null and has its reason.
import * as s from '../../kernel/schema.ts';
import { MomentLogs } from './moment-logs.schemas.ts';

const known = {
  as_of: s.nullable(s.timestamp({ description: 'When it was read; null: nothing is known.' })),
  reason: s.nullable(
    s.text({ description: 'Why nothing is known; where there was nothing, how that is known.' }),
  ),
};

const word = (description?: string) => s.nullable(s.text(description === undefined ? {} : { description }));
const seconds = (description: string) => s.nullable(s.number({ description }));
const moment = () => s.nullable(s.timestamp());

const MomentSession = s.component('MomentSession', {
  pid: s.integer(),
  leader_pid: s.nullable(s.integer({ description: 'Leader of a parallel group; null for leaders.' })),
  database: word(),
  user_name: word(),
  application_name: word(),
  client_address: word('Null: a socket.'),
  backend_type: word(),
  state: word('active, idle, idle in transaction, …'),
  wait_event_type: word('Null: on the processor, or ready for it.'),
  wait_event: word(),
  queryid: word('64 bits, as text.'),
  query: word('The statement, or the last one; secrets are blanked.'),
  connected_at: moment(),
  transaction_seconds: seconds('How long its transaction had been open.'),
  query_seconds: seconds('How long its statement, or since the last one began.'),
  state_seconds: seconds('How long it had been in that state.'),
});

const MomentSessions = s.component('MomentSessions', {
  ...known,
  total_count: s.nullable(s.integer({ description: 'Before limit; at most 1,000 are kept of a server.' })),
  rows: s.nullable(s.list(MomentSession, { description: 'Those at work first, then the oldest.' })),
});

/** Not a component of its own, since one cannot be null. */
const LockWait = s.object({
  since: moment(),
  seconds: s.nullable(s.number()),
  lock_type: word(),
  mode: word(),
  object: word('What it wants locked.'),
});

const LockNode = s.component('LockNode', {
  pid: s.integer({ description: '0: a prepared transaction.' }),
  kind: s.oneOf(['session', 'prepared_transaction', 'unknown'], {
    description: 'unknown: it was gone when it was looked at.',
  }),
  blocked_by_pid: s.nullable(s.integer({ description: 'The one above; null: a root.' })),
  also_blocked_by: s.list(s.integer(), { description: 'Others that hold it up too, at most 20.' }),
  depth: s.integer({ description: '0: a root.' }),
  blocked_count: s.integer({ description: 'Sessions beneath, at any depth.' }),
  is_in_circle: s.boolean({ description: 'It waits for itself through others; shown as a root.' }),
  database: word(),
  user_name: word('Its role; the owner of a prepared transaction.'),
  application_name: word(),
  client_address: word(),
  state: word(),
  query: word('Its statement, or the last one; secrets are blanked.'),
  gid: word('Identifier of a prepared transaction; the oldest where several block.'),
  transaction_started_at: moment(),
  transaction_seconds: seconds('How long its transaction had been open, or prepared.'),
  idle_in_transaction_seconds: seconds('How long it had been idle in it; null while it works.'),
  waits: s.nullable(LockWait),
});

const MomentLocks = s.component('MomentLocks', {
  ...known,
  waiting_count: s.nullable(s.integer({ description: 'Sessions that wait; at most 100 are looked into.' })),
  root_count: s.nullable(s.integer()),
  nodes: s.nullable(
    s.list(LockNode, { description: 'In reading order: roots first, at most 500; each session once.' }),
  ),
});

const Combination = s.component('SessionCombination', {
  sessions: s.integer(),
  state: s.text({ description: 'active, or idle in transaction.' }),
  wait_event_type: word(),
  wait_event: word(),
  database: word(),
  user_name: word(),
  application_name: word(),
  client_address: word(),
  backend_type: word(),
  queryid: word(),
  is_rest: s.boolean({
    description: 'All combinations beyond the largest 500 of this state and kind of wait.',
  }),
  oldest_transaction_seconds: seconds('Rounded down to 1, 2, 5, 10, 20, 50, ….'),
  oldest_query_seconds: seconds('Rounded down to 1, 2, 5, 10, 20, 50, ….'),
});

const MomentWaits = s.component('MomentWaits', {
  ...known,
  active_count: s.nullable(s.integer()),
  idle_in_transaction_count: s.nullable(s.integer()),
  classes: s.nullable(
    s.list(s.object({ wait_class: s.text(), sessions: s.integer() }), {
      description: 'Active sessions, largest first; CPU: on the processor or ready for it.',
    }),
  ),
  combinations: s.nullable(s.list(Combination, { description: 'The largest, at most 100.' })),
});

const MomentProgress = s.component('MomentProgress', {
  ...known,
  rows: s.nullable(
    s.list(
      s.object({
        command: word(),
        pid: s.nullable(s.integer()),
        database: word(),
        user_name: word('Null for autovacuum.'),
        backend_type: word(),
        relation: word("Schema and table; null outside the connection's own database."),
        phase: word(),
        unit: word('What done and total count: blocks, bytes.'),
        done: s.nullable(s.number()),
        total: s.nullable(s.number()),
        percent: s.nullable(s.number()),
        running_seconds: seconds('Since the statement began.'),
      }),
    ),
  ),
});

const MomentReplication = s.component('MomentReplication', {
  ...known,
  rows: s.nullable(
    s.list(
      s.object({
        role: word('primary: a sender; standby: the receiver.'),
        pid: s.nullable(s.integer({ description: '0 on a standby without receiver.' })),
        application_name: word(),
        client_address: word(),
        state: word(),
        sync_state: word(),
        receiver_status: word(),
        sender_host: word(),
        lag_bytes: s.nullable(s.bytes()),
        write_lag_seconds: s.nullable(s.number()),
        flush_lag_seconds: s.nullable(s.number()),
        replay_lag_seconds: s.nullable(s.number()),
        replay_pause_state: word('Of a standby: not paused, pause requested or paused.'),
      }),
    ),
  ),
});

const MomentSlots = s.component('MomentSlots', {
  ...known,
  rows: s.nullable(
    s.list(
      s.object({
        slot_name: word(),
        slot_type: word(),
        database: word(),
        active: s.nullable(s.boolean()),
        wal_status: word(),
        retained_bytes: s.nullable(s.bytes({ description: 'WAL kept for it.' })),
      }),
    ),
  ),
});

const MomentHost = s.component('MomentHost', {
  cpu: s.object({
    ...known,
    busy_percent: s.nullable(s.number()),
    io_wait_percent: s.nullable(s.number({ description: 'Idle while a disk was waited for.' })),
  }),
  processors: s.object({ ...known, count: s.nullable(s.integer()), model: word() }),
  load: s.object({
    ...known,
    one_minute: s.nullable(s.number()),
    five_minutes: s.nullable(s.number()),
    fifteen_minutes: s.nullable(s.number()),
  }),
  memory: s.object({
    ...known,
    total_bytes: s.nullable(s.bytes()),
    used_bytes: s.nullable(s.bytes({ description: 'Total minus available.' })),
    swap_used_bytes: s.nullable(s.bytes()),
  }),
  disks: s.object({
    ...known,
    rows: s.nullable(
      s.list(
        s.object({
          mount_point: word(),
          total_bytes: s.nullable(s.bytes()),
          used_bytes: s.nullable(s.bytes()),
          free_bytes: s.nullable(s.bytes({ description: 'Free for programs.' })),
        }),
      ),
    ),
  }),
});

const MomentSettings = s.component('MomentSettings', {
  ...known,
  rows: s.nullable(
    s.list(
      s.object({
        name: s.text(),
        value: word('With its unit; secrets are masked.'),
        source: word(),
        since: s.timestamp({ description: 'When the collector first saw it so.' }),
      }),
      { description: 'Those that differ from the default, by name, at most 1,000.' },
    ),
  ),
});

const MomentServer = s.component('MomentServer', {
  ...known,
  version: word(),
  started_at: moment(),
  is_in_recovery: s.nullable(s.boolean({ description: 'A standby.' })),
  max_connections: s.nullable(s.integer()),
});

export const PARTS = {
  server: MomentServer,
  sessions: MomentSessions,
  locks: MomentLocks,
  waits: MomentWaits,
  progress: MomentProgress,
  replication: MomentReplication,
  slots: MomentSlots,
  host: MomentHost,
  settings: MomentSettings,
  logs: MomentLogs,
};
