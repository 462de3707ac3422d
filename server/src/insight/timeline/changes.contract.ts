// What is different on servers between two times, kind by kind: events of the timeline, and statements that became slower.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { ALL_TYPES, CHANGE_TYPES, TimelineEvent } from './timeline.contract.ts';

const reason = s.optional(s.text({ description: 'Why the list is incomplete; absent: it is complete.' }));

const ChangesOfKind = s.component('ChangesOfKind', {
  event_type: s.oneOf(ALL_TYPES, { extra: CHANGE_TYPES }),
  total_count: s.nullable(s.integer({ minimum: 0, description: 'Null: not known, for the reason said.' })),
  reason,
  events: s.list(TimelineEvent),
});

export const SlowerStatement = s.component('SlowerStatement', {
  connection_id: s.id(),
  server_name: s.text(),
  database: s.text(),
  queryid: s.text(),
  query_text: s.nullable(s.text({ description: 'Normalised; null where it was not read.' })),
  mean_time_ms: s.number(),
  previous_mean_time_ms: s.number(),
  factor: s.number({ description: 'How many times as long as before.' }),
  calls: s.number(),
  total_time_ms: s.number(),
  load_percent: s.number({ description: "Of the execution time of all the server's statements." }),
});

const LastChange = s.component('LastChange', {
  connection_id: s.id(),
  occurred_at: s.timestamp(),
  title: s.text(),
});

export const ChangesResult = s.component('ChangesResult', {
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  server_count: s.integer({ minimum: 0 }),
  kinds: s.list(ChangesOfKind),
  last_changes: s.optional(
    s.list(LastChange, {
      description:
        'The newest of each server among the newest 200 of each kind; only where they are asked for.',
    }),
  ),
  slower_statements: s.object({
    total_count: s.nullable(s.integer({ minimum: 0, description: 'Null: not known, for the reason said.' })),
    reason,
    previous_start_time: s.timestamp({ description: 'The window of equal length before, until start_time.' }),
    statements: s.list(SlowerStatement),
  }),
});

export const listChanges = operation({
  id: 'listChanges',
  route: 'GET /api/v1/changes',
  tag: 'timeline',
  summary: 'What is different between two times, kind by kind',
  access: { visible: 'connections' },
  extra: true,
  faults: [403, 404],
  query: s.object({
    start_time: s.timestamp({ description: 'From this time on.' }),
    end_time: s.timestamp({ description: 'Until this time; after start_time.' }),
    connection_id: s.optional(s.id()),
    connection_ids: s.optional(s.idList({ description: 'At most 1,000, with commas between.' })),
    cluster_id: s.optional(s.id({ description: 'The servers of this cluster, instead of connections.' })),
    limit: s.optional(s.integer({ minimum: 1, maximum: 500, default: 50, description: 'Of each kind.' })),
    with_last_changes: s.optional(
      s.boolean({ default: false, description: 'Says of each server what changed last.' }),
    ),
  }),
  success: ok(ChangesResult, {
    start_time: '2026-11-19T10:00:00.000Z',
    end_time: '2026-11-20T10:00:00.000Z',
    server_count: 1,
    kinds: [
      {
        event_type: 'index_dropped',
        total_count: 1,
        events: [
          {
            id: 'index-dropped-2-2026-11-20T09:05:00.000Z',
            event_type: 'index_dropped',
            connection_id: 2,
            server_name: 'orders-primary',
            occurred_at: '2026-11-20T09:05:00.000Z',
            severity: 'info',
            title: 'Index orders_customer_idx dropped',
            summary: 'orders_customer_idx was dropped on orders-primary.',
            details: {
              change_count: 1,
              changes: [
                {
                  database: 'shop',
                  schema: 'public',
                  table: 'orders',
                  index: 'orders_customer_idx',
                  change_type: 'removed',
                },
              ],
            },
          },
        ],
      },
    ],
    slower_statements: {
      total_count: 1,
      previous_start_time: '2026-11-18T10:00:00.000Z',
      statements: [
        {
          connection_id: 2,
          server_name: 'orders-primary',
          database: 'shop',
          queryid: '-4312345678901234567',
          query_text: 'select * from orders where customer_id = $1',
          mean_time_ms: 41.5,
          previous_mean_time_ms: 0.4,
          factor: 103.75,
          calls: 21_400,
          total_time_ms: 888_100,
          load_percent: 61.2,
        },
      ],
    },
  }),
  notes: [
    'kinds holds each kind once, in a fixed order, also those of which there is nothing; events newest first.',
    'Slower: at least 1.5 times the mean time of the window of equal length before, and at least 5 % of the load of the server.',
    'Dropped tables and indexes and slower statements are listed for at most 20 servers at once; for more, reason says so.',
  ],
});
