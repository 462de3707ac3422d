// The shapes of what runs out, and when.
import * as s from '../../kernel/schema.ts';

export const RUNWAY_KINDS = [
  'disk',
  'tablespace',
  'transaction_ids',
  'multixact_ids',
  'sequence',
  'replication_slot',
  'connections',
  'statements',
] as const;
export const RUNWAY_STATES = ['runs_out', 'not_growing', 'unknown'] as const;

export const RunwayItem = s.component('RunwayItem', {
  connection_id: s.id(),
  server_name: s.text(),
  found_at: s.timestamp({ description: 'When this was found; it is found anew every three hours.' }),
  kind: s.oneOf(RUNWAY_KINDS),
  database_name: s.nullable(s.text({ description: 'Null: the server as a whole.' })),
  object_name: s.nullable(
    s.text({ description: 'Disk, tablespace, sequence or slot; null: there is only one.' }),
  ),
  unit: s.oneOf(['bytes', 'count', 'percent']),
  used: s.nullable(
    s.number({ description: 'The newest value; null: nothing was collected in the last day.' }),
  ),
  limit: s.nullable(s.number({ description: 'In the same unit; null: unknown.' })),
  limited_by: s.nullable(s.text({ description: 'What the limit is.' })),
  per_day: s.nullable(s.number({ description: 'By how much it grows in a day; null: no trend was found.' })),
  state: s.oneOf(RUNWAY_STATES),
  runs_out_at: s.nullable(s.timestamp({ description: 'Of what runs out.' })),
  earliest_at: s.nullable(
    s.timestamp({
      description:
        'If it grows as fast as the days allow; of what is unknown, the first date that it can be.',
    }),
  ),
  latest_at: s.nullable(
    s.timestamp({
      description: 'If it grows as slowly as they allow; null: further away than they can tell.',
    }),
  ),
  days_of_data: s.number({
    description: 'Days between the first and the last value that the trend was found from.',
  }),
  reason: s.nullable(s.text({ description: 'Why there is no date, or what the date leaves out.' })),
  days: s.list(s.nullable(s.number()), {
    description:
      'The value of each of the last 30 days, the newest last; null: not measured. Empty: there is none.',
  }),
});

export const Runway = s.component('Runway', {
  oldest_found_at: s.nullable(
    s.timestamp({ description: 'Of the server for which it was found longest ago.' }),
  ),
  waiting: s.integer({ description: 'Servers for which it was not found yet.' }),
  items: s.list(RunwayItem),
  total: s.integer({ description: 'Before limit and offset.' }),
  counts: s.component(
    'RunwayCounts',
    { runs_out: s.integer(), not_growing: s.integer(), unknown: s.integer() },
    { description: 'Of the scope and kinds, whatever the state that is asked for.' },
  ),
});
