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
  title: 'A sequence or its column ends within weeks',
  meaning:
    'As its numbers were taken in the last days, the last one is given out on that day, and every insert that needs another one fails. To turn a large column into bigint takes planning.',
  remedy:
    'Turn the column and its sequence into bigint before that day: alter table rewrites the table under a lock, so large ones want a second column that is filled bit by bit.',
  evidence: { sql: SEQUENCES_BY_USAGE },
  isOurs: true,
});
