// What the estate was like in the last 24 hours and is like now, server by server: a strip of hours and the tiles of the
// estate's table. Guards: each tile says of when it is, and why it is not known.
import { ok, operation } from '../../kernel/contract.ts';
import {
  bytes,
  component,
  id,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
  timestamp,
} from '../../kernel/schema.ts';

export const HOUR_STATUSES = ['online', 'warning', 'offline'] as const;

const told = {
  at: nullable(timestamp({ description: 'Of when it is; null: it was never collected.' })),
  reason: nullable(text({ description: 'Why it is not known, in plain words; null where it is.' })),
};

const Strip = component('EstateStrip', {
  load: list(nullable(number({ description: 'Average active sessions; null where nothing was read.' })), {
    description: 'One for each hour.',
  }),
  worst_status: list(
    nullable(
      oneOf(HOUR_STATUSES, {
        description:
          'By how long nothing could be read from the server within the hour: warning from 60 s, offline from 150 s; ' +
          'null: not known, such as before its first sample, or while it is not monitored.',
      }),
    ),
    { description: 'One for each hour.' },
  ),
});

export const EstateTilesSchema = component('EstateTiles', {
  connection_id: id(),
  strip: Strip,
  load: object({
    sessions: nullable(
      number({
        description:
          'Active sessions on average over the five minutes before; until these are rolled up, those of the newest reading.',
      }),
    ),
    processors: nullable(
      number({
        description: 'Logical processors that its machine has, or that it may use; to compare with.',
      }),
    ),
    ...told,
  }),
  transactions: object({
    per_second: nullable(number({ description: 'That ended, in the last 15 minutes.' })),
    ...told,
  }),
  cache: object({
    hit_percent: nullable(
      number({ description: 'Blocks found in shared buffers of all wanted, in the last 15 minutes.' }),
    ),
    ...told,
  }),
  lag: object(
    {
      seconds: nullable(number()),
      bytes: nullable(bytes({ description: 'Of WAL, from the current position to what is replayed.' })),
      ...told,
    },
    { description: 'Of a standby its own, of another server the worst of its standbys.' },
  ),
  connections: object({
    used: nullable(integer({ description: 'Sessions of clients, our own left out.' })),
    active: nullable(integer({ description: 'Those of them that run a statement.' })),
    max: nullable(integer({ description: 'The setting max_connections.' })),
    ...told,
  }),
  disk: object(
    {
      used_percent: nullable(number()),
      used_bytes: nullable(bytes()),
      total_bytes: nullable(bytes()),
      mount_point: nullable(text()),
      ...told,
    },
    { description: 'The fullest volume of its machine.' },
  ),
});

export const EstateHistoryResponse = component('EstateHistory', {
  generated_at: timestamp(),
  strip_from: timestamp({ description: 'When the first hour of the strips begins.' }),
  strip_hours: integer(),
  measured_until: nullable(
    timestamp({
      description:
        'Until when all of the active sessions are rolled up, some twenty minutes ago; null: not at all.',
    }),
  ),
  servers: list(EstateTilesSchema),
});

const at = '2026-11-20T10:00:00.000Z';
const known = { at, reason: null };
const hours = <T>(value: T): T[] => Array.from({ length: 24 }, () => value);

export const getEstateHistory = operation({
  id: 'getEstateHistory',
  method: 'GET',
  path: '/api/v1/estate/history',
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
