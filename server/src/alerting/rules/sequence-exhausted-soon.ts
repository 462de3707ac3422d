// A sequence or its column that has no number left within a month.
import { SEQUENCES_BY_USAGE } from './sequence-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'sequence_exhausted_soon',
  category: 'maintenance',
  metric: 'pg_sequence_usage.days_left',
  operator: '<',
  threshold: 30,
  severity: 'warning',
  // Found twice in a row: one odd day is no date.
  lastsSeconds: 10_800,
  followsFrom: ['sequence_usage_critical'],
  title: 'Sequence exhausted soon',
  joins: ':',
  reading: 'Sequence runs out in {value}',
  meaning:
    'After the last value, every insert that needs a new one fails. Converting a large column to bigint needs planning.',
  remedy:
    'Convert the column and its sequence to bigint before that day. ALTER TABLE rewrites the table under an exclusive lock. For large tables, add a second column and fill it in batches.',
  evidence: { sql: SEQUENCES_BY_USAGE },
  isOurs: true,
});
