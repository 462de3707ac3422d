// Blackouts: when which part of the estate is kept quiet. Guards: estate-wide ones show to everybody, all others to who
// sees what they are for; only the reason and the end of one change later.

import { byId, created, ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  BLACKOUT_SCOPES,
  Blackout,
  BlackoutCreateRequest,
  BlackoutList,
  BlackoutUpdateRequest,
} from './blackouts.schemas.ts';

const operation = operationsOf({ tag: 'blackouts' });

const example = {
  id: 17,
  scope: 'server',
  connection_id: 2,
  reason: 'Minor upgrade.',
  start_time: '2026-11-20T02:00:00.000Z',
  end_time: '2026-11-20T04:00:00.000Z',
  created_by: 'ada',
  created_at: '2026-11-19T10:00:00.000Z',
  is_active: true,
  target_name: 'orders-primary',
};

export const listBlackouts = operation({
  id: 'listBlackouts',
  route: 'GET /api/v1/blackouts',
  summary: 'List blackout windows',
  access: { visible: 'blackouts' },
  faults: [403],
  query: s.object({
    scope: s.optional(s.oneOf(BLACKOUT_SCOPES)),
    group_id: s.optional(s.id()),
    cluster_id: s.optional(s.id()),
    connection_id: s.optional(s.id()),
    active: s.optional(s.boolean()),
    covers_connection_id: s.optional(
      s.ours(s.id({ description: 'Those that hold for this connection, whatever their scope.' })),
    ),
    covers_connection_ids: s.optional(
      s.ours(
        s.idList({ description: 'Those that hold for any of these: at most 1,000, with commas between.' }),
      ),
    ),
    schedule_id: s.optional(s.ours(s.id({ description: 'Those that this schedule made.' }))),
    start_time: s.optional(s.ours(s.timestamp({ description: 'Those that end after this time.' }))),
    end_time: s.optional(s.ours(s.timestamp({ description: 'Those that start before this time.' }))),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 100 })),
    offset: s.optional(s.integer({ minimum: 0, maximum: 2147483647, default: 0 })),
  }),
  success: ok(BlackoutList, { blackouts: [example], total_count: 1 }),
  notes: [
    'Newest start_time first. total_count counts all matches before limit and offset. active filters on is_active.',
    'A connection that is named and cannot be read answers 403, an unknown one too.',
    'A blackout is forgotten 90 days after its end.',
  ],
});

export const createBlackout = operation({
  id: 'createBlackout',
  route: 'POST /api/v1/blackouts',
  summary: 'Create a blackout window',
  access: { object: 'target', permission: 'manage_blackouts', whole: true },
  body: BlackoutCreateRequest,
  bodyExample: {
    scope: 'estate',
    reason: 'Moving to another data centre.',
    start_time: '2026-11-20T02:00:00.000Z',
    end_time: '2099-11-20T04:00:00.000Z',
  },
  success: created(Blackout, example),
  notes: [
    'Exactly the id that scope names must be present, none for estate; database_name only with scope server (400 otherwise).',
    'end_time must be after start_time and after now. reason is optional, default empty text.',
  ],
});

export const getBlackout = operation({
  id: 'getBlackout',
  route: 'GET /api/v1/blackouts/{id}',
  summary: 'Get a blackout',
  access: { object: 'blackout' },
  ...byId(17),
  success: ok(Blackout, example),
});

export const updateBlackout = operation({
  id: 'updateBlackout',
  route: 'PUT /api/v1/blackouts/{id}',
  summary: 'Update a blackout',
  access: { object: 'blackout', permission: 'manage_blackouts', whole: true },
  ...byId(17),
  body: BlackoutUpdateRequest,
  bodyExample: { end_time: '2099-11-20T05:00:00.000Z' },
  faults: [409],
  success: ok(Blackout, { ...example, end_time: '2026-11-20T05:00:00.000Z' }),
  notes: [
    'Only reason and end_time can change, at least one. 409 for a new end_time on a blackout that is over; 400 for an end_time not after start_time or in the past.',
  ],
});

export const deleteBlackout = operation({
  id: 'deleteBlackout',
  route: 'DELETE /api/v1/blackouts/{id}',
  summary: 'Delete a blackout',
  access: { object: 'blackout', permission: 'manage_blackouts', whole: true },
  ...byId(17),
  success: ok(StatusResponse, { status: 'deleted' }),
  notes: ['status is "deleted".'],
});

export const stopBlackout = operation({
  id: 'stopBlackout',
  route: 'POST /api/v1/blackouts/{id}/stop',
  summary: 'Stop an active blackout early',
  access: { object: 'blackout', permission: 'manage_blackouts', whole: true },
  ...byId(17),
  faults: [409],
  success: ok(Blackout, { ...example, end_time: '2026-11-20T03:12:07.000Z', is_active: false }),
  notes: [
    'Sets end_time to now and returns the row. 409 when it has not started (delete it instead) or is already over. No body.',
  ],
});
