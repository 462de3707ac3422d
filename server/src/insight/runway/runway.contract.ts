// Runway: what runs out on servers and when, for whoever sees the servers.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { RUNWAY_KINDS, RUNWAY_STATES, Runway } from './runway.schemas.ts';

export const listRunway = operation({
  id: 'listRunway',
  route: 'GET /api/v1/runway',
  tag: 'runway',
  summary: 'List what runs out, soonest first',
  access: { visible: 'connections' },
  extra: true,
  faults: [403, 404],
  query: s.object({
    connection_id: s.optional(s.id()),
    connection_ids: s.optional(s.idList({ description: 'At most 1,000, with commas between.' })),
    cluster_id: s.optional(s.id({ description: 'The servers of this cluster, instead of connections.' })),
    kind: s.optional(s.oneOf(RUNWAY_KINDS)),
    state: s.optional(s.oneOf(RUNWAY_STATES)),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 200 })),
    offset: s.optional(s.integer({ minimum: 0, default: 0 })),
  }),
  success: ok(Runway, {
    oldest_found_at: '2026-11-22T10:40:00.000Z',
    waiting: 0,
    items: [
      {
        connection_id: 1,
        server_name: 'orders-primary',
        found_at: '2026-11-22T10:40:00.000Z',
        kind: 'disk',
        database_name: null,
        object_name: '/var/lib/postgresql',
        unit: 'bytes',
        used: 80530636800,
        limit: 107374182400,
        limited_by: 'What programs may use of it',
        per_day: 1073741824,
        state: 'runs_out',
        runs_out_at: '2026-12-17T10:00:00.000Z',
        earliest_at: '2026-12-14T10:00:00.000Z',
        latest_at: '2026-12-21T10:00:00.000Z',
        days_of_data: 4,
        reason: null,
        days: [null, 76235669504, 77309411328, 78383153152, 79456894976, 80530636800],
      },
    ],
    total: 1,
    counts: { runs_out: 1, not_growing: 0, unknown: 0 },
  }),
  notes: [
    'What runs out comes first, the soonest before all, then what is unknown, then what does not grow. Of transaction ids, multixact ids and sequences there are those that run out, and otherwise the one that has used most.',
    'A date is from the median of all slopes between two of the last 30 days, and never further away than ten times the days it was found from, or five years.',
  ],
});
