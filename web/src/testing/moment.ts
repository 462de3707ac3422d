// A moment of a server as it is answered, for tests of what shows it.
import type { OperationTypes } from '../api/operations.gen.ts';

type Moment = OperationTypes['getConnectionMoment']['result'];
type Session = NonNullable<Moment['sessions']['rows']>[number];
type LockNode = NonNullable<Moment['locks']['nodes']>[number];

const UNKNOWN = { as_of: null, reason: 'No source knows this.' };

export const sessionRow = (pid: number, more: Partial<Session> = {}): Session => ({
  pid,
  leader_pid: null,
  database: 'shop',
  user_name: 'app',
  application_name: 'checkout',
  client_address: '10.0.0.7',
  backend_type: 'client backend',
  state: 'active',
  wait_event_type: null,
  wait_event: null,
  queryid: '7',
  query: `select ${pid}`,
  connected_at: '2026-11-20T09:00:00.000Z',
  transaction_seconds: 90,
  query_seconds: 30,
  state_seconds: 30,
  ...more,
});

export const lockNode = (pid: number, more: Partial<LockNode> = {}): LockNode => ({
  pid,
  kind: 'session',
  blocked_by_pid: null,
  also_blocked_by: [],
  depth: 0,
  blocked_count: 0,
  is_in_circle: false,
  database: 'shop',
  user_name: 'app',
  application_name: 'checkout',
  client_address: null,
  state: null,
  query: `update stock set n = ${pid}`,
  gid: null,
  transaction_started_at: null,
  transaction_seconds: null,
  idle_in_transaction_seconds: null,
  waits: null,
  ...more,
});

export const momentAt = (at: string, more: Partial<Moment> = {}): Moment => ({
  connection_id: 1,
  at,
  server: { ...UNKNOWN, version: null, started_at: null, is_in_recovery: null, max_connections: null },
  sessions: { as_of: at, reason: null, total_count: 0, rows: [] },
  locks: { as_of: at, reason: null, waiting_count: 0, root_count: 0, nodes: [] },
  waits: {
    as_of: at,
    reason: null,
    active_count: 0,
    idle_in_transaction_count: 0,
    classes: [],
    combinations: [],
  },
  progress: { as_of: at, reason: null, rows: [] },
  replication: { as_of: at, reason: null, rows: [] },
  slots: { as_of: at, reason: null, rows: [] },
  host: {
    cpu: { ...UNKNOWN, busy_percent: null, io_wait_percent: null },
    processors: { ...UNKNOWN, count: null, model: null },
    load: { ...UNKNOWN, one_minute: null, five_minutes: null, fifteen_minutes: null },
    memory: { ...UNKNOWN, total_bytes: null, used_bytes: null, swap_used_bytes: null },
    disks: { ...UNKNOWN, rows: null },
  },
  settings: { as_of: at, reason: null, rows: [] },
  logs: {
    as_of: at,
    reason: null,
    start_time: at,
    end_time: at,
    counted_from: at,
    counted_to: at,
    classes: [],
    events: [],
    is_cut: false,
    events_reason: null,
  },
  changes: { start_time: at, end_time: at, result: { events: [], total_count: 0 } },
  ...more,
});

/** A load of one session on the processor, of the window that is asked for. */
export function loadFor(path: string): OperationTypes['getConnectionLoad']['result'] {
  const query = new URLSearchParams(path.split('?')[1]);
  const [start_time, end_time] = [query.get('start_time') ?? '', query.get('end_time') ?? ''];
  const values = Array.from({ length: 120 }, () => 1);
  return {
    connection_id: 1,
    split_by: 'wait_class',
    bucket_seconds: (Date.parse(end_time) - Date.parse(start_time)) / 120_000,
    start_time,
    end_time,
    coverage: 1,
    read: [{ tier: 'samples', members_per_span: null, resolution_seconds: 1, start_time, end_time }],
    processors: { count: 8, reason: null, as_of: start_time },
    total: { mean: 1, values },
    members: [{ name: 'CPU', is_rest: false, mean: 1, values }],
    members_reason: null,
  };
}
