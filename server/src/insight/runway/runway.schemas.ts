// The shapes of what runs out, and when.
import {
  component,
  id,
  integer,
  list,
  nullable,
  number,
  oneOf,
  text,
  timestamp,
} from '../../kernel/schema.ts';

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

export const RunwayItem = component('RunwayItem', {
  connection_id: id(),
  server_name: text(),
  found_at: timestamp({ description: 'When this was found; it is found anew every three hours.' }),
  kind: oneOf(RUNWAY_KINDS),
  database_name: nullable(text({ description: 'Null: the server as a whole.' })),
  object_name: nullable(
    text({ description: 'Disk, tablespace, sequence or slot; null: there is only one.' }),
  ),
  unit: oneOf(['bytes', 'count', 'percent']),
  used: nullable(number({ description: 'The newest value; null: nothing was collected in the last day.' })),
  limit: nullable(number({ description: 'In the same unit; null: unknown.' })),
  limited_by: nullable(text({ description: 'What the limit is.' })),
  per_day: nullable(number({ description: 'By how much it grows in a day; null: no trend was found.' })),
  state: oneOf(RUNWAY_STATES),
  runs_out_at: nullable(timestamp({ description: 'Of what runs out.' })),
  earliest_at: nullable(
    timestamp({
      description:
        'If it grows as fast as the days allow; of what is unknown, the first date that it can be.',
    }),
  ),
  latest_at: nullable(
    timestamp({
      description: 'If it grows as slowly as they allow; null: further away than they can tell.',
    }),
  ),
  days_of_data: number({
    description: 'Days between the first and the last value that the trend was found from.',
  }),
  reason: nullable(text({ description: 'Why there is no date, or what the date leaves out.' })),
  days: list(nullable(number()), {
    description:
      'The value of each of the last 30 days, the newest last; null: not measured. Empty: there is none.',
  }),
});

export const Runway = component('Runway', {
  oldest_found_at: nullable(timestamp({ description: 'Of the server for which it was found longest ago.' })),
  waiting: integer({ description: 'Servers for which it was not found yet.' }),
  items: list(RunwayItem),
  total: integer({ description: 'Before limit and offset.' }),
  counts: component(
    'RunwayCounts',
    { runs_out: integer(), not_growing: integer(), unknown: integer() },
    { description: 'Of the scope and kinds, whatever the state that is asked for.' },
  ),
});
