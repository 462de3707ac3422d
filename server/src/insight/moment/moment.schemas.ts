// What a moment of a server consists of. Guards: every part says of when it is; what is not known is null and has its reason.
import {
  boolean,
  bytes,
  component,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { MomentLogs } from './moment-logs.schemas.ts';

const known = {
  as_of: nullable(timestamp({ description: 'When it was read; null: nothing is known.' })),
  reason: nullable(
    text({ description: 'Why nothing is known; where there was nothing, how that is known.' }),
  ),
};

const word = (description?: string) => nullable(text(description === undefined ? {} : { description }));
const seconds = (description: string) => nullable(number({ description }));
const moment = () => nullable(timestamp());

const MomentSession = component('MomentSession', {
  pid: integer(),
  leader_pid: nullable(integer({ description: 'Leader of a parallel group; null for leaders.' })),
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

const MomentSessions = component('MomentSessions', {
  ...known,
  total_count: nullable(integer({ description: 'Before limit; at most 1,000 are kept of a server.' })),
  rows: nullable(list(MomentSession, { description: 'Those at work first, then the oldest.' })),
});

/** Not a component of its own, since one cannot be null. */
const LockWait = object({
  since: moment(),
  seconds: nullable(number()),
  lock_type: word(),
  mode: word(),
  object: word('What it wants locked.'),
});

const LockNode = component('LockNode', {
  pid: integer({ description: '0: a prepared transaction.' }),
  kind: oneOf(['session', 'prepared_transaction', 'unknown'], {
    description: 'unknown: it was gone when it was looked at.',
  }),
  blocked_by_pid: nullable(integer({ description: 'The one above; null: a root.' })),
  also_blocked_by: list(integer(), { description: 'Others that hold it up too, at most 20.' }),
  depth: integer({ description: '0: a root.' }),
  blocked_count: integer({ description: 'Sessions beneath, at any depth.' }),
  is_in_circle: boolean({ description: 'It waits for itself through others; shown as a root.' }),
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
  waits: nullable(LockWait),
});

const MomentLocks = component('MomentLocks', {
  ...known,
  waiting_count: nullable(integer({ description: 'Sessions that wait; at most 100 are looked into.' })),
  root_count: nullable(integer()),
  nodes: nullable(
    list(LockNode, { description: 'In reading order: roots first, at most 500; each session once.' }),
  ),
});

const Combination = component('SessionCombination', {
  sessions: integer(),
  state: text({ description: 'active, or idle in transaction.' }),
  wait_event_type: word(),
  wait_event: word(),
  database: word(),
  user_name: word(),
  application_name: word(),
  client_address: word(),
  backend_type: word(),
  queryid: word(),
  is_rest: boolean({
    description: 'All combinations beyond the largest 500 of this state and kind of wait.',
  }),
  oldest_transaction_seconds: seconds('Rounded down to 1, 2, 5, 10, 20, 50, ….'),
  oldest_query_seconds: seconds('Rounded down to 1, 2, 5, 10, 20, 50, ….'),
});

const MomentWaits = component('MomentWaits', {
  ...known,
  active_count: nullable(integer()),
  idle_in_transaction_count: nullable(integer()),
  classes: nullable(
    list(object({ wait_class: text(), sessions: integer() }), {
      description: 'Active sessions, largest first; CPU: on the processor or ready for it.',
    }),
  ),
  combinations: nullable(list(Combination, { description: 'The largest, at most 100.' })),
});

const MomentProgress = component('MomentProgress', {
  ...known,
  rows: nullable(
    list(
      object({
        command: word(),
        pid: nullable(integer()),
        database: word(),
        user_name: word('Null for autovacuum.'),
        backend_type: word(),
        relation: word("Schema and table; null outside the connection's own database."),
        phase: word(),
        unit: word('What done and total count: blocks, bytes.'),
        done: nullable(number()),
        total: nullable(number()),
        percent: nullable(number()),
        running_seconds: seconds('Since the statement began.'),
      }),
    ),
  ),
});

const MomentReplication = component('MomentReplication', {
  ...known,
  rows: nullable(
    list(
      object({
        role: word('primary: a sender; standby: the receiver.'),
        pid: nullable(integer({ description: '0 on a standby without receiver.' })),
        application_name: word(),
        client_address: word(),
        state: word(),
        sync_state: word(),
        receiver_status: word(),
        sender_host: word(),
        lag_bytes: nullable(bytes()),
        write_lag_seconds: nullable(number()),
        flush_lag_seconds: nullable(number()),
        replay_lag_seconds: nullable(number()),
        replay_pause_state: word('Of a standby: not paused, pause requested or paused.'),
      }),
    ),
  ),
});

const MomentSlots = component('MomentSlots', {
  ...known,
  rows: nullable(
    list(
      object({
        slot_name: word(),
        slot_type: word(),
        database: word(),
        active: nullable(boolean()),
        wal_status: word(),
        retained_bytes: nullable(bytes({ description: 'WAL kept for it.' })),
      }),
    ),
  ),
});

const MomentHost = component('MomentHost', {
  cpu: object({
    ...known,
    busy_percent: nullable(number()),
    io_wait_percent: nullable(number({ description: 'Idle while a disk was waited for.' })),
  }),
  processors: object({ ...known, count: nullable(integer()), model: word() }),
  load: object({
    ...known,
    one_minute: nullable(number()),
    five_minutes: nullable(number()),
    fifteen_minutes: nullable(number()),
  }),
  memory: object({
    ...known,
    total_bytes: nullable(bytes()),
    used_bytes: nullable(bytes({ description: 'Total minus available.' })),
    swap_used_bytes: nullable(bytes()),
  }),
  disks: object({
    ...known,
    rows: nullable(
      list(
        object({
          mount_point: word(),
          total_bytes: nullable(bytes()),
          used_bytes: nullable(bytes()),
          free_bytes: nullable(bytes({ description: 'Free for programs.' })),
        }),
      ),
    ),
  }),
});

const MomentSettings = component('MomentSettings', {
  ...known,
  rows: nullable(
    list(
      object({
        name: text(),
        value: word('With its unit; secrets are masked.'),
        source: word(),
        since: timestamp({ description: 'When the collector first saw it so.' }),
      }),
      { description: 'Those that differ from the default, by name, at most 1,000.' },
    ),
  ),
});

const MomentServer = component('MomentServer', {
  ...known,
  version: word(),
  started_at: moment(),
  is_in_recovery: nullable(boolean({ description: 'A standby.' })),
  max_connections: nullable(integer()),
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
