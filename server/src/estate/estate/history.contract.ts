// What the estate was like in the last 24 hours and is like now, server by server: a strip of hours and the tiles of the
// estate's table. Guards: each tile says of when it is, and why it is not known.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

export const HOUR_STATUSES = ['online', 'warning', 'offline'] as const;

const told = {
  at: s.nullable(s.timestamp({ description: 'Of when it is; null: it was never collected.' })),
  reason: s.nullable(s.text({ description: 'Why it is not known, in plain words; null where it is.' })),
};

const Strip = s.component('EstateStrip', {
  load: s.list(
    s.nullable(s.number({ description: 'Average active sessions; null where nothing was read.' })),
    {
      description: 'One for each hour.',
    },
  ),
  worst_status: s.list(
    s.nullable(
      s.oneOf(HOUR_STATUSES, {
        description:
          'By how long nothing could be read from the server within the hour: warning from 60 s, offline from 150 s; ' +
          'null: not known, such as before its first sample, or while it is not monitored.',
      }),
    ),
    { description: 'One for each hour.' },
  ),
});

export const EstateTilesSchema = s.component('EstateTiles', {
  connection_id: s.id(),
  strip: Strip,
  load: s.object({
    sessions: s.nullable(
      s.number({
        description:
          'Active sessions on average over the five minutes before; until these are rolled up, those of the newest reading.',
      }),
    ),
    processors: s.nullable(
      s.number({
        description: 'Logical processors that its machine has, or that it may use; to compare with.',
      }),
    ),
    ...told,
  }),
  transactions: s.object({
    per_second: s.nullable(s.number({ description: 'That ended, in the last 15 minutes.' })),
    ...told,
  }),
  cache: s.object({
    hit_percent: s.nullable(
      s.number({ description: 'Blocks found in shared buffers of all wanted, in the last 15 minutes.' }),
    ),
    ...told,
  }),
  lag: s.object(
    {
      seconds: s.nullable(s.number()),
      bytes: s.nullable(s.bytes({ description: 'Of WAL, from the current position to what is replayed.' })),
      ...told,
    },
    { description: 'Of a standby its own, of another server the worst of its standbys.' },
  ),
  connections: s.object({
    used: s.nullable(s.integer({ description: 'Sessions of clients, our own left out.' })),
    active: s.nullable(s.integer({ description: 'Those of them that run a statement.' })),
    max: s.nullable(s.integer({ description: 'The setting max_connections.' })),
    ...told,
  }),
  disk: s.object(
    {
      used_percent: s.nullable(s.number()),
      used_bytes: s.nullable(s.bytes()),
      total_bytes: s.nullable(s.bytes()),
      mount_point: s.nullable(s.text()),
      ...told,
    },
    { description: 'The fullest volume of its machine.' },
  ),
});

export const EstateHistoryResponse = s.component('EstateHistory', {
  generated_at: s.timestamp(),
  strip_from: s.timestamp({ description: 'When the first hour of the strips begins.' }),
  strip_hours: s.integer(),
  measured_until: s.nullable(
    s.timestamp({
      description:
        'Until when all of the active sessions are rolled up, some twenty minutes ago; null: not at all.',
    }),
  ),
  servers: s.list(EstateTilesSchema),
});

const at = '2026-11-20T10:00:00.000Z';
const known = { at, reason: null };
const hours = <T>(value: T): T[] => Array.from({ length: 24 }, () => value);

export const getEstateHistory = operation({
  id: 'getEstateHistory',
  route: 'GET /api/v1/estate/history',
  tag: 'connections',
  summary: 'The last 24 hours of every visible server, and what it is like now',
  access: { visible: 'connections' },
  extra: true,
  hasETag: true,
  success: ok(EstateHistoryResponse, {
    generated_at: at,
    strip_from: '2026-11-19T11:00:00.000Z',
    strip_hours: 24,
    measured_until: '2026-11-20T09:50:00.000Z',
    servers: [
      {
        connection_id: 2,
        strip: { load: hours(1.5), worst_status: hours('online') },
        load: { sessions: 1.25, processors: 8, ...known },
        transactions: { per_second: 410.5, ...known },
        cache: { hit_percent: 99.2, ...known },
        lag: {
          seconds: null,
          bytes: null,
          at,
          reason: 'The server is no standby, and no standby is connected to it.',
        },
        connections: { used: 41, active: 3, max: 100, ...known },
        disk: {
          used_percent: 61.5,
          used_bytes: 66_035_122_176,
          total_bytes: 107_374_182_400,
          mount_point: '/var/lib/postgresql',
          ...known,
        },
      },
    ],
  }),
  notes: [
    'Everything is read from what was collected, for all servers at once. It is read anew after ten seconds; meanwhile the answer is of at most a minute ago, as generated_at says.',
    'Hours are whole hours of UTC; the last one is the present hour as far as it is measured.',
    'A value older than two and a half intervals of its probe is null, with the reason.',
  ],
});
