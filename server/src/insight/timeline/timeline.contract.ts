// The timeline: what happened to servers, newest first, from what was stored. Guards: the specified types of events stay
// what they are; whatever else is told comes only to those who ask for it.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

export const EVENT_TYPES = [
  'config_change',
  'hba_change',
  'ident_change',
  'restart',
  'alert_fired',
  'alert_cleared',
  'alert_acknowledged',
  'extension_change',
  'blackout_started',
  'blackout_ended',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Told only to those who ask for them. */
export const CHANGE_TYPES = [
  'role_change',
  'version_change',
  'role_setting_change',
  'table_made',
  'table_dropped',
  'index_made',
  'index_dropped',
  'statement_new',
  'log_event',
] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];
export type AnyType = EventType | ChangeType;

export const ALL_TYPES: readonly AnyType[] = [...EVENT_TYPES, ...CHANGE_TYPES];

const SEVERITIES = ['info', 'warning', 'critical'] as const;

export const TimelineEvent = s.component('TimelineEvent', {
  id: s.text({ description: 'The same each time; kind, connection and time.' }),
  event_type: s.oneOf(ALL_TYPES, { extra: CHANGE_TYPES }),
  connection_id: s.integer(),
  server_name: s.text(),
  occurred_at: s.timestamp({ description: 'Changes: when the collector first saw them.' }),
  severity: s.oneOf(SEVERITIES),
  title: s.text(),
  summary: s.text(),
  details: s.optional(s.anyObject({ description: 'By event type.' })),
});

/** Of what not all is told, and why. */
const Incomplete = s.component('Incomplete', {
  event_type: s.oneOf(ALL_TYPES, { extra: CHANGE_TYPES }),
  reason: s.text(),
});

export const TimelineResult = s.component('TimelineResult', {
  events: s.list(TimelineEvent),
  total_count: s.integer({ minimum: 0 }),
  incomplete: s.optional(s.ours(s.list(Incomplete))),
});

export const listTimelineEvents = operation({
  id: 'listTimelineEvents',
  route: 'GET /api/v1/timeline/events',
  tag: 'timeline',
  summary: 'List timeline events',
  access: { visible: 'connections' },
  faults: [403],
  query: s.object({
    start_time: s.timestamp({ description: 'From this time on.' }),
    end_time: s.timestamp({ description: 'Until this time; after start_time.' }),
    connection_id: s.optional(s.id()),
    connection_ids: s.optional(s.idList({ description: 'At most 1,000, with commas between.' })),
    event_types: s.optional(s.text({ description: 'With commas between; all of them when absent.' })),
    include: s.optional(
      s.ours(
        s.oneOf(['changes'], {
          description:
            'Also promotions, versions, settings of roles and databases, tables and indexes made or dropped, new statements, grave events of the log.',
        }),
      ),
    ),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 500 })),
  }),
  success: ok(TimelineResult, {
    events: [
      {
        id: 'restart-2-2026-11-20T10:00:12.000Z',
        event_type: 'restart',
        connection_id: 2,
        server_name: 'orders-primary',
        occurred_at: '2026-11-20T10:00:12.000Z',
        severity: 'warning',
        title: 'Server restarted',
        summary: 'orders-primary was started at 2026-11-20T10:00:04.120Z.',
        details: {
          previous_start_time: '2026-11-02T04:11:40.003Z',
          new_start_time: '2026-11-20T10:00:04.120Z',
          is_in_recovery: false,
          primary_role: 'binary_primary',
        },
      },
      {
        id: 'config-2-2026-11-20T09:10:00.000Z',
        event_type: 'config_change',
        connection_id: 2,
        server_name: 'orders-primary',
        occurred_at: '2026-11-20T09:10:00.000Z',
        severity: 'info',
        title: 'Setting work_mem modified',
        summary: 'work_mem went from 4096 kB to 7168 kB on orders-primary.',
        details: {
          change_count: 1,
          changes: [{ name: 'work_mem', old_value: '4096', new_value: '7168', change_type: 'modified' }],
        },
      },
    ],
    total_count: 2,
  }),
  notes: [
    'Newest first. total_count counts all matches before limit. Both bounds are required and inclusive, end_time after start_time.',
    "connection_id is 0 and server_name the target's name for blackouts that are not of scope server; 0 and Matriarch for alerts about its own work, which are listed where no connection is named.",
    'A connection that is named and cannot be read answers 403, an unknown one too.',
    'With include=changes: role_change {previous_role, new_role}, version_change {previous_version, new_version}, role_setting_change {change_count, changes[{name, role, database, old_value, new_value, change_type}]}, table_… and index_… {change_count, changes[{database, schema, table, index, change_type}]}, statement_new {change_count, changes[{database, queryid, user_name, query_text, change_type}]}, log_event {class, events} (the first of a minute; crashes, panics, deadlocks and the like). incomplete names the types whose list was cut.',
    'A change is dated when it was first seen; what was there when a server was first looked at is no change, nor are tables, indexes and statements of Matriarch in the datastore that it brings, and its partitions by the day in any other.',
    'details hold at most 500 changes; change_count and mapping_count count all of them. primary_role is null where it was not read since that start.',
  ],
});
