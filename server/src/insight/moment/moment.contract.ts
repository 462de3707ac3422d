// One instant of a server: what its sessions did, who waited for whom, and all else that is stored of it.
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { TimelineResult } from '../timeline/timeline.contract.ts';
import { PARTS } from './moment.schemas.ts';

export const MomentResponse = s.component('MomentResponse', {
  connection_id: s.id(),
  at: s.timestamp({ description: 'The instant that was asked for.' }),
  ...PARTS,
  changes: s.object({
    start_time: s.timestamp(),
    end_time: s.timestamp(),
    result: TimelineResult,
  }),
});

const as_of = '2026-11-20T10:14:57.000Z';
const nothing = { as_of: null, reason: 'No source knows this of the machine of the server.' };

export const getConnectionMoment = operation({
  id: 'getConnectionMoment',
  route: 'GET /api/v1/connections/{id}/moment',
  tag: 'metrics',
  summary: 'Everything that is stored of one instant of a connection',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  query: s.object({
    at: s.optional(s.timestamp({ description: 'The instant; now when absent.' })),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 200, description: 'Of sessions.' })),
  }),
  extra: true,
  success: ok(MomentResponse, {
    connection_id: 1,
    at: '2026-11-20T10:15:00.000Z',
    server: {
      as_of: '2026-11-20T10:00:02.000Z',
      reason: null,
      version: '18.4',
      started_at: '2026-11-01T04:00:00.000Z',
      is_in_recovery: false,
      max_connections: 200,
    },
    sessions: {
      as_of: '2026-11-20T10:14:12.000Z',
      reason: null,
      total_count: 1,
      rows: [
        {
          pid: 4711,
          leader_pid: null,
          database: 'shop',
          user_name: 'app',
          application_name: 'checkout',
          client_address: '10.0.0.7',
          backend_type: 'client backend',
          state: 'active',
          wait_event_type: 'Lock',
          wait_event: 'transactionid',
          queryid: '-4725382164029184731',
          query: 'update stock set n = n - 1 where id = 7',
          connected_at: '2026-11-20T09:00:00.000Z',
          transaction_seconds: 42.1,
          query_seconds: 42,
          state_seconds: 42,
        },
      ],
    },
    locks: {
      as_of,
      reason: null,
      waiting_count: 1,
      root_count: 1,
      nodes: [
        {
          pid: 4242,
          kind: 'session',
          blocked_by_pid: null,
          also_blocked_by: [],
          depth: 0,
          blocked_count: 1,
          is_in_circle: false,
          database: 'shop',
          user_name: 'batch',
          application_name: 'nightly',
          client_address: '10.0.0.9',
          state: 'idle in transaction',
          query: 'update stock set n = n + 1',
          gid: null,
          transaction_started_at: '2026-11-20T10:10:00.000Z',
          transaction_seconds: 297,
          idle_in_transaction_seconds: 290,
          waits: null,
        },
      ],
    },
    waits: {
      as_of: '2026-11-20T10:15:00.000Z',
      reason: null,
      active_count: 1,
      idle_in_transaction_count: 1,
      classes: [{ wait_class: 'Lock', sessions: 1 }],
      combinations: [],
    },
    progress: {
      as_of: '2026-11-20T10:15:00.000Z',
      reason: 'Nothing was found in the 15 s before; sessions of the server were being sampled.',
      rows: [],
    },
    replication: { as_of, reason: null, rows: [] },
    slots: { as_of, reason: null, rows: [] },
    host: {
      cpu: { ...nothing, busy_percent: null, io_wait_percent: null },
      processors: { ...nothing, count: null, model: null },
      load: { ...nothing, one_minute: null, five_minutes: null, fifteen_minutes: null },
      memory: { ...nothing, total_bytes: null, used_bytes: null, swap_used_bytes: null },
      disks: { ...nothing, rows: null },
    },
    settings: {
      as_of: '2026-11-20T10:00:02.000Z',
      reason: null,
      rows: [
        {
          name: 'work_mem',
          value: '7168 kB',
          source: 'configuration file',
          since: '2026-11-12T08:00:01.000Z',
        },
      ],
    },
    logs: {
      as_of: '2026-11-20T10:15:10.000Z',
      reason: null,
      start_time: '2026-11-20T10:14:50.000Z',
      end_time: '2026-11-20T10:15:10.000Z',
      counted_from: '2026-11-20T10:14:00.000Z',
      counted_to: '2026-11-20T10:16:00.000Z',
      classes: [{ class: 'lock_wait', title: 'Lock wait', weight: 'warning', events: 1 }],
      events: null,
      is_cut: false,
      events_reason: 'Texts of events need the permission read_logs; you see the counts.',
    },
    changes: {
      start_time: '2026-11-20T10:05:00.000Z',
      end_time: '2026-11-20T10:25:00.000Z',
      result: { events: [], total_count: 0 },
    },
  }),
  notes: [
    'From what was collected, never from the server. Each part is of the newest reading until the instant, which as_of names; a reading stands for at most two and a half of its intervals (sessions 60 s, locks and progress 10 s, waits 1 s, replication 30 s, slots 5 minutes, the machine 10 minutes).',
    'A part of which nothing is known is null with its reason. An empty list says that there was nothing; where no reading says so by itself, its reason says how that is known.',
    'Settings are read every hour: a change is known from when it was first seen.',
    'logs holds what the log says of the ten seconds before and after, or of now the newest 20 seconds that were read: counts by class of their minutes, and the events with their masked texts for those with the permission read_logs. Where these are more than 100, start_time and end_time are closer together, and is_cut says so.',
    'changes holds the timeline of the ten minutes before and after, further types included.',
    'An instant in the future is 400.',
  ],
});
